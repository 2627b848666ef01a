"""Writes the report. Everything in it is measured, except the text of `analysis.md`."""

import textwrap

from . import data
from .operations import USERS_AT_ONCE
from .plot import plot
from .targets import growths, targets

# The operations of each plot, and what grows along its horizontal axis.
PLOTS = {
    "users": (("users", "navigation"), "users", "Users and navigation"),
    "search": (("search",), "users", "Search"),
    "invoices": (("invoices",), "invoices", "Lists of invoices"),
    "statistics": (("statistics",), "invoices", "Statistics"),
}


def write(results, folder, analysis):
    """Writes `report.md` and its plots to `folder`, with the file `analysis` at the end."""
    plots = folder / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    for old in plots.glob("*.svg"):
        old.unlink()
    parts = ["# Benchmark report", about(results), of_failures(results), of_targets(results)]
    for engine in data.ENGINES.values():
        of = results.get(engine.name)
        if of:
            parts += [of_operations(engine, of), of_middle(engine, of)]
            parts += [of_sizes(engine, of, plots), of_rest(engine, of)]
    for name, title in (("live", "Querying game servers"), ("export", "Exports")):
        if text := results.get(name, {}).get("text"):
            parts.append(f"## {title}\n\n{text}")
    if analysis.exists():
        parts.append(analysis.read_text().strip())
    (folder / "report.md").write_text("\n\n".join(part for part in parts if part) + "\n")


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
        "\n[README.md](README.md) explains the numbers: the limit, the ratios, and what is compared "
        "with what.",
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


def of_operations(engine, of):
    if "operations" not in of:
        return ""
    facts = of.get("data")
    intro = ""
    if facts:
        intro = wrap(
            f"{facts['users']:,} users and {facts['invoices']:,} invoices. Search matches: the rare "
            f"term {facts['rare'][1]:,}, the common term {facts['common'][1]:,}. "
            f"Filter matches: a role {facts['role']:,} users, a gateway {facts['gateway']:,} "
            f"invoices, a currency {facts['currency']:,}, a promo code {facts['promo_code']:,}."
        )
    title = f"## Operations on {engine.title}"
    parts = (title, intro, of_compared(engine, of["operations"]))
    return "\n\n".join(part for part in parts if part)


def of_middle(engine, of):
    if not of.get("middle"):
        return ""
    title = f"## Operations on {engine.title} at the middle size"
    return f"{title}\n\n{of_compared(engine, of['middle'])}"


def of_compared(engine, operations):
    """The table of operations that were compared with the limit."""
    head = ["operation", "connections", "requests/s", "p50, µs", "p99, µs", "of the limit"]
    head += ["CPU, µs a request", "CPU of the limit, µs", "resident, MiB"]
    if engine.name == "postgres":
        head.insert(-1, "CPU of PostgreSQL, µs")
    rows = []
    for name, by_connections in operations.items():
        for connections, row in by_connections.items():
            if "error" in row:
                rows.append([name, connections, "failed"] + [""] * (len(head) - 3))
                continue
            # Results of older versions lack it.
            limit_cpu = f"{row['limit_cpu']:,.0f}" if "limit_cpu" in row else ""
            cells = [name, connections]
            cells += [f"{row[column]:,.0f}" for column in ("per_second", "p50", "p99")]
            cells += [f"{row['ratio']:.2f}", f"{row['cpu']:,.0f}", limit_cpu]
            if engine.name == "postgres":
                cells.append(f"{row['database_cpu']:,.0f}")
            rows.append(cells + [f"{row['memory']:.0f}"])
    return table(head, rows)


def of_sizes(engine, of, plots):
    if not of.get("sizes"):
        return ""
    good = {name: row for name, row in of["sizes"].items() if "p50" in row}
    if not good:
        return ""
    keys = list(next(iter(good.values()))["p50"])
    sizes = {key: data.Size(*(int(count) for count in key.split("-"))) for key in keys}
    images = []
    for key, (groups, counted, title) in PLOTS.items():
        lines = {
            name: [(getattr(sizes[size], counted), time) for size, time in row["p50"].items()]
            for name, row in good.items()
            if row["group"] in groups
        }
        if lines:
            file = plots / f"{engine.name}-{key}.svg"
            file.write_text(plot(f"{title}, {engine.title}, one connection", counted, lines))
            images.append(f"![{title} on {engine.title}](plots/{file.name})")
    head = ["p50 at one connection, µs", *(size.title for size in sizes.values()), "growth"]
    grown = growths(of["sizes"])
    rows = []
    for name, row in of["sizes"].items():
        if "error" in row:
            rows.append([name, "failed"] + [""] * len(keys))
            continue
        factor = grown.get(name, row["p50"][keys[-1]] / row["p50"][keys[0]])
        shown = f"**{factor:.1f}**" if factor > 2 else f"{factor:.1f}"
        rows.append([name, *(f"{row['p50'][key]:,.0f}" for key in keys), shown])
    shown = "\n\n".join(images)
    return f"## Cost against size on {engine.title}\n\n{shown}\n\n" + table(head, rows)


def of_rest(engine, of):
    parts = []
    if of.get("creates"):
        head = ["durable, 64 connections", "group commit, /s", "one at a time, /s", "times"]
        rows = [
            [name, "failed", "", ""] if "error" in row
            else [name, f"{row['grouped']:,.0f}", f"{row['alone']:,.0f}", f"{row['ratio']:.1f}"]
            for name, row in of["creates"].items()
        ]
        parts.append(f"## Group commit on {engine.title}\n\n" + table(head, rows))
    if of.get("hashing"):
        head = ["connections reading", "quiet p50", "quiet p99", "p50", "p99", "p99, times"]
        head += ["slowest", "creating took, s"]
        rows = [
            [connections, "failed"] + [""] * 6 if "error" in row
            else [connections]
            + [f"{row[name]:,.0f}" for name in ("quiet_p50", "quiet_p99", "p50", "p99")]
            + [f"{row['ratio']:.1f}", f"{row['max']:,.0f}", f"{row['seconds']:.1f}"]
            for connections, row in of["hashing"].items()
        ]
        title = f"## Reads while {USERS_AT_ONCE} users are created at once on {engine.title}"
        parts.append(f"{title}\n\nTimes in µs.\n\n{table(head, rows)}")
    return "\n\n".join(parts)
