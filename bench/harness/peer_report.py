"""Writes the report of a comparison with PocketBase."""

from .report import table, wrap

WANTED = 20
# How much of the processor time others may take.
MOST_OF_OTHERS = 0.1
SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}


def write(results, file, analysis):
    """Writes `file`, with the text of the file `analysis` at the end."""
    rows = results["rows"]
    parts = ["# Steward and PocketBase", about(results["about"]), *how(results["about"])]
    parts += [f"## Requests a second\n\n{of_rates(rows)}", f"## Cost\n\n{of_costs(rows)}"]
    missed = [row for row in rows if row["ratio"][0] < WANTED]
    if missed:
        parts.append(of_bounds(missed, results["about"]["cores"]))
    if analysis.exists():
        parts.append(analysis.read_text().strip())
    file.write_text("\n\n".join(parts) + "\n")


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
        f"other for {run['seconds']:g} s each, in an order that changes from round to round; the "
        "limit is a bare axum server that answers with as many bytes as Steward. The load generator "
        "uses the same cores. A ratio belongs to one round. The tables give the median over the "
        "rounds, for the ratio to PocketBase also the lowest and the highest."
    )
    yield wrap(
        "Steward runs with an administrator's API key and its default options. PocketBase runs with "
        "a superuser's token, for which it evaluates no API rules; reads are also measured with the "
        "token of a user, whose status a rule compares. Its request log is off, because it would be "
        "written to a second database; that of Steward goes to /dev/null. A create in Steward also "
        "writes an audit entry. In PocketBase, users are an auth collection with unique indexes on "
        "username and email address, and their roles are expanded. Searches look for random "
        f"usernames: of 20 that were checked, each matches at most {run['matches']} users."
    )
    yield wrap(
        f"PocketBase opens its database with `synchronous={SYNCHRONOUS[run['synchronous']]}`: in WAL "
        "mode a commit is then not on disk when the request is answered, and is lost if the power "
        "fails. No option changes that. For the creates that are durable in both programs, a hook "
        "([synchronous.pb.js](pocketbase/synchronous.pb.js)) sets `synchronous=FULL`, which Steward "
        "always uses, on the connection that PocketBase writes with."
    )


def of_rates(rows):
    head = ["operation", "connections", "Steward, /s", "PocketBase, /s", "Steward / PocketBase"]
    head += ["the limit, /s", "limit / PocketBase", f"{WANTED} times"]
    cells = []
    for row in rows:
        rates = {of: f"{row[of]['per_second']:,.0f}" for of in ("service", "peer", "limit")}
        cells.append(
            [row["operation"], row["connections"], rates["service"], rates["peer"]]
            + [spread(row["ratio"]), rates["limit"], factor(row["limit_ratio"][0]), verdict(row)]
        )
    return table(head, cells)


def of_costs(rows):
    head = ["operation", "connections"]
    head += [f"{of} {what}, µs" for of in ("Steward", "PocketBase") for what in ("p50", "p99")]
    head += [f"CPU of {of}, µs a request" for of in ("Steward", "PocketBase", "the limit")]
    head += ["PocketBase / Steward", "Steward, MiB", "PocketBase, MiB"]
    cells = []
    for row in rows:
        service, peer = row["service"], row["peer"]
        cells.append(
            [row["operation"], row["connections"]]
            + [f"{of[what]:,.0f}" for of in (service, peer) for what in ("p50", "p99")]
            + [f"{of['cpu']:,.0f}" for of in (service, peer, row["limit"])]
            + [factor(peer["cpu"] / service["cpu"])]
            + [f"{of['memory']:.0f}" for of in (service, peer)]
        )
    return table(head, cells)


def in_use(of):
    """How many cores a program and the load generator use together."""
    return of["per_second"] * (of["cpu"] + of["generator_cpu"]) / 1e6


def verdict(row):
    if row["ratio"][0] >= WANTED:
        return "met"
    if row["limit_ratio"][0] < WANTED:
        return "not met, nor by the limit"
    return "not met"


def of_bounds(rows, cores):
    head = ["operation", "connections", f"{WANTED} times PocketBase, /s", "available", "the limit"]
    head += ["Steward", "of that the load generator", "a sync", "possible", "cores in use"]
    cells = []
    for row in rows:
        rate = WANTED * row["peer"]["per_second"]
        alone = row["connections"] == 1
        times = [(1 if alone else cores) * 1e6 / rate]
        for of in (row["limit"], row["service"]):
            times.append(1e6 / of["per_second"] if alone else of["cpu"] + of["generator_cpu"])
        times.append(row["service"]["generator_cpu"])
        sync = row["disk"]["sync"] if "disk" in row else 0
        # Concurrent creates can share a sync.
        least = times[1] + (sync if alone else 0)
        shown = [f"{time:,.0f}" for time in times] + [f"{sync:,.0f}" if sync else ""]
        shown += ["yes" if least <= times[0] else "no"]
        shown += [" / ".join(f"{in_use(row[of]):.1f}" for of in ("service", "peer", "limit"))]
        cells.append([row["operation"], row["connections"], f"{rate:,.0f}", *shown])
    title = f"## What {WANTED} times would take"
    text = wrap(
        "The time that a request may take for that, and what it takes, in µs. With one connection it "
        "is the time from one request to the next. With more it is processor time: that of all cores "
        "is shared by the program and the load generator. A sync is the time to overwrite a page of 4 "
        "KiB in a file and to sync it. It is possible if the limit, followed by a sync where one "
        "connection creates durably, takes no longer than the time available. The cores in use are "
        "those of Steward, PocketBase and the limit, each with the load generator: a program that "
        "uses fewer than there are waits for something else."
    )
    return f"{title}\n\n{text}\n\n{table(head, cells)}"


def spread(ratio):
    middle, lowest, highest = (factor(value) for value in ratio)
    return f"{middle} ({lowest} to {highest})"


def factor(value):
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def line(row):
    """A row in short, to be printed while measuring."""
    what = f"{row['operation']}, connections: {row['connections']}"
    return f"{what}: {spread(row['ratio'])} times PocketBase"
