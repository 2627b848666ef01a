"""Writes the report of a comparison with PocketBase."""

from .report import by_hand, table, wrap

# How much of the processor time others may take.
MOST_OF_OTHERS = 0.1
SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}
# Written by hand from here to the end of the file.
KEPT = "## What bounds the ratios"


def write(results, file):
    run = results["about"]
    parts = ["# Steward and PocketBase", about(run), *how(run), of_rows(results["rows"])]
    parts.append(by_hand(file, KEPT))
    file.write_text("\n\n".join(part for part in parts if part) + "\n")


def about(run):
    is_disturbed = run["others"] + run["stolen"] > MOST_OF_OTHERS
    disturbed = ": **do not trust the numbers**" if is_disturbed else ""
    return "\n".join(
        [
            f"`bench/peers.py`, {run['when']}, {run['commit']}; PocketBase {run['version']}.",
            f"Machine: {run['machine']}; load average at the start {run['load']}.",
            f"While measuring, other programs used {run['others']:.1%} of its processor time and "
            f"its host withheld {run['stolen']:.1%}{disturbed}.",
        ]
    )


def how(run):
    yield wrap(
        f"Both programs use SQLite and have the same {run['users']:,} users with two roles each. "
        f"Each of {run['rounds']} rounds measures Steward, PocketBase and the limit one after the "
        f"other for {run['seconds']:g} s each, in an order that changes; the limit is a bare axum "
        "server that answers with as many bytes as Steward. The load generator uses the same cores. "
        "The table gives the median over the rounds, for the ratio of each round also the lowest and "
        "the highest."
    )
    yield wrap(
        "Steward runs with an administrator's API key, PocketBase with a superuser's token, for "
        "which it evaluates no API rules; reads are also measured with the token of a user. A create "
        "in Steward also writes an audit entry. Searches look for random usernames, each of which "
        f"matches at most {run['matches']} users."
    )
    yield wrap(
        f"PocketBase opens its database with `synchronous={SYNCHRONOUS[run['synchronous']]}`: a "
        "commit is then not on disk when the request is answered, and is lost if the power fails. For "
        "the creates that are durable in both programs, a hook "
        "([synchronous.pb.js](pocketbase/synchronous.pb.js)) sets `synchronous=FULL`, which Steward "
        "always uses."
    )


def of_rows(rows):
    """One row for each operation: many connections, and the ratio with one."""
    head = ["operation", "Steward, /s", "PocketBase, /s", "ratio", "ratio, one connection"]
    head += ["the limit, /s", "Steward p99, ms", "PocketBase p99, ms"]
    alone = {row["operation"]: row["ratio"] for row in rows if row["connections"] == 1}
    cells = []
    for row in rows:
        if row["connections"] == 1:
            continue
        service, peer = row["service"], row["peer"]
        cells.append(
            [row["operation"], *(f"{of['per_second']:,.0f}" for of in (service, peer))]
            + [spread(row["ratio"]), spread(alone[row["operation"]])]
            + [f"{row['limit']['per_second']:,.0f}"]
            + [f"{of['p99'] / 1000:,.1f}" for of in (service, peer)]
        )
    return f"## Requests a second, 32 connections\n\n{table(head, cells)}"


def spread(ratio):
    middle, lowest, highest = (factor(value) for value in ratio)
    return f"{middle} ({lowest} to {highest})"


def factor(value):
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def line(row):
    """A summary of a row, printed while measuring."""
    what = f"{row['operation']}, connections: {row['connections']}"
    return f"{what}: {spread(row['ratio'])} times PocketBase"
