"""Writes the report. Everything in it is measured, except what follows `KEPT` in the file."""

import textwrap

from . import data
from .plot import plot
from .targets import targets

# The operations of each plot, and the quantity on its horizontal axis.
PLOTS = {
    "users": (("users", "navigation"), "users", "Users and navigation"),
    "search": (("search",), "users", "Search"),
    "invoices": (("invoices",), "invoices", "Lists of invoices"),
    "statistics": (("statistics",), "invoices", "Statistics"),
}
# The operations of the table, with the number of connections that it shows.
SHOWN = {
    "read one user with its roles": "32",
    "list users, page 1": "32",
    "check a ban": "32",
    "search users, a term that is rare": "32",
    "search users, a term that is common": "32",
    "list invoices, page 1": "32",
    "list invoices, the last page": "32",
    "statistics of a month": "32",
    "statistics of everything": "32",
    "create a role": "64",
    "create an invoice": "64",
    "pay an invoice": "64",
    "a mix of 95 % reads": "32",
}
# Written by hand from here to the end of the file.
KEPT = "## What bounds the numbers"


def write(results, folder):
    """Writes `report.md` and its plots to `folder`."""
    plots = folder / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    parts = ["# Benchmark report", about(results), of_failures(results), of_targets(results)]
    parts += [of_operations(results), of_sizes(results, plots)]
    for name, title in (("live", "Querying game servers"), ("export", "Exports")):
        if text := results.get(name, {}).get("text"):
            parts.append(f"## {title}\n\n{text}")
    file = folder / "report.md"
    parts.append(by_hand(file, KEPT))
    file.write_text("\n\n".join(part for part in parts if part) + "\n")


def by_hand(file, heading):
    """The end of an earlier report, from this heading on."""
    text = file.read_text() if file.exists() else ""
    _, found, rest = text.partition(f"{heading}\n")
    return f"{heading}\n{rest}".strip() if found else ""


def wrap(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def about(results):
    run = results["about"]
    versions = [of["version"] for of in engines(results) if "version" in of]
    facts = [
        f"`{run['command']}`, {run['when']}, {run['commit']}.",
        f"Machine: {run['machine']}; load average at the start {run['load']}.",
        f"Engines: {', '.join(versions)}." if versions else "",
        wrap(
            f"{run['pace']} The service logged as it does by default, to /dev/null, and did not "
            "query game servers. Service, load generator and PostgreSQL shared the machine, all on "
            "loopback."
        ),
        "PostgreSQL ran with `fsync` and `synchronous_commit` on, SQLite with `synchronous=FULL`.",
        "\n[README.md](README.md) explains the numbers: the limit, the program by hand, the ratios, "
        "and what is compared with what.",
    ]
    stamps = sorted({stamp for of in engines(results) for stamp in of.get("when", {}).values()})
    if len(stamps) > 1:
        facts.append(f"Parts were measured separately, between {stamps[0]} and {stamps[-1]}.")
    return "\n".join(fact for fact in facts if fact)


def engines(results):
    return [results[name] for name in data.ENGINES if name in results]


def failures(results):
    """The failures of all runs whose results are stored."""
    found = []
    for name, of in results.items():
        if name == "about":
            continue
        title = data.ENGINES[name].title if name in data.ENGINES else name
        found += [f"{title}, {part}: {why}" for part, why in of.get("failed", {}).items()]
        for part, rows in of.items():
            if part != "failed" and isinstance(rows, dict):
                found += [f"{title}, {part}, {where}: {why}" for where, why in errors_in(rows)]
    return found


def errors_in(rows):
    for key, row in rows.items():
        if isinstance(row, dict) and "error" in row:
            yield key, row["error"]
        elif isinstance(row, dict):
            for inner, why in errors_in(row):
                yield f"{key}, {inner}", why


def of_failures(results):
    found = failures(results)
    if not found:
        return ""
    return "## Failures\n\n" + "\n".join(f"- {failure}" for failure in found)


def of_targets(results):
    head = ["what", "target", "engine", "measured", ""]
    return "## Targets\n\n" + table(head, targets(results))


def of_operations(results):
    """What each engine serves with the largest database."""
    measured = [engine for engine in data.ENGINES.values() if has_operations(results, engine)]
    if not measured:
        return ""
    head = ["operation", "connections"]
    for engine in measured:
        head += [f"{engine.title}, /s", "p99, ms", "of the limit", "of by hand", "CPU, µs"]
    rows = []
    for name, connections in SHOWN.items():
        cells = [name, connections]
        for engine in measured:
            row = results[engine.name]["operations"].get(name, {}).get(connections, {})
            cells += shown(row)
        rows.append(cells)
    sizes = [results[engine.name].get("data") for engine in measured]
    intro = " ".join(
        f"{engine.title} has {size['users']:,} users and {size['invoices']:,} invoices."
        for engine, size in zip(measured, sizes)
        if size
    )
    return "\n\n".join(part for part in ("## Requests a second", intro, table(head, rows)) if part)


def has_operations(results, engine):
    return bool(results.get(engine.name, {}).get("operations"))


def shown(row):
    if "per_second" not in row:
        return ["failed" if "error" in row else "", "", "", "", ""]
    cpu = row["cpu"] + row.get("database_cpu", 0)
    rate, slow = f"{row['per_second']:,.0f}", f"{row['p99'] / 1000:.1f}"
    by_hand = f"{row['hand_ratio']:.2f}" if "hand_ratio" in row else ""
    return [rate, slow, f"{row['ratio']:.2f}", by_hand, f"{cpu:,.0f}"]


def of_sizes(results, plots):
    """Plots of all reads, and a table of those that grow with the data."""
    images, rows = [], []
    for engine in data.ENGINES.values():
        sizes = results.get(engine.name, {}).get("sizes", {})
        good = {name: row for name, row in sizes.items() if "p50" in row}
        if good:
            images += drawn(engine, good, plots)
            rows += grown(engine, good)
    if not images:
        return ""
    text = wrap(
        "The p50 of each read at one connection, at three sizes. A read that takes more than twice "
        "as long with the largest database as with the smallest is in the table."
    )
    head = ["p50, µs", "engine", "smallest", "largest", "growth"]
    parts = ["## Cost against size", text, *images]
    return "\n\n".join(parts + ([table(head, rows)] if rows else []))


def drawn(engine, good, plots):
    keys = list(next(iter(good.values()))["p50"])
    sizes = {key: data.Size(*(int(count) for count in key.split("-"))) for key in keys}
    for key, (groups, counted, title) in PLOTS.items():
        lines = {
            name: [(getattr(sizes[size], counted), time) for size, time in row["p50"].items()]
            for name, row in good.items()
            if row["group"] in groups
        }
        if lines:
            file = plots / f"{engine.name}-{key}.svg"
            file.write_text(plot(f"{title}, {engine.title}, one connection", counted, lines))
            yield f"![{title} on {engine.title}](plots/{file.name})"


def grown(engine, good):
    for name, row in good.items():
        times = list(row["p50"].values())
        factor = times[-1] / times[0]
        if factor > 2:
            ends = [f"{time:,.0f}" for time in (times[0], times[-1])]
            yield [name, engine.title, *ends, f"{factor:.1f}"]
