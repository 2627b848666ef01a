"""Compares the results with the targets."""

from .data import ENGINES
from .operations import USERS_AT_ONCE

READ = "read one user with its roles"
LIST = "list users, page 1"
LAST = "list users, the last page"
INVOICES = "list invoices, page 1"
ROLE = "create a role"
INVOICE = "create an invoice"
BAN = "check a ban"
# The least ratios to the program by hand, at 32 connections.
OF_BY_HAND = {
    "sqlite": {READ: 0.90, LIST: 0.85, ROLE: 0.80, INVOICE: 0.80, BAN: 0.85},
    "postgres": {READ: 0.80, LIST: 0.75, ROLE: 0.75},
}


def targets(results):
    """The rows of a table: the quantity, target, engine, result, and whether the target was met."""
    found = []

    def add(what, target, engine, measure):
        """`measure` returns the value, its bound, whether more is better, and the text to show."""
        title = ENGINES[engine].title
        try:
            value, bound, more_is_better, shown = measure(results[engine])
        except (KeyError, ValueError, IndexError, ZeroDivisionError):
            found.append((what, target, title, "not measured", "unknown"))
            return
        found.append((what, target, title, shown, verdict(value, bound, more_is_better)))

    def ratio(name, connections, bound, kind="ratio"):
        def measure(of):
            row = of["middle"][name][str(connections)]
            span = f"{row[f'{kind}_low']:.2f} to {row[f'{kind}_high']:.2f}"
            return row[kind], bound, True, f"{row[kind]:.2f} ({span})"

        return measure

    def slowest(of):
        ratios = {name: of["middle"][name]["32"]["hand_p99_ratio"] for name in OF_BY_HAND["sqlite"]}
        name = max(ratios, key=ratios.get)
        return ratios[name], 1.3, False, f"{ratios[name]:.1f} times ({name})"

    def processor_time(of):
        row = of["middle"][READ]["32"]
        factor = row["cpu"] / row["limit_cpu"]
        shown = f"{factor:.1f} times ({row['cpu']:.0f} to {row['limit_cpu']:.0f} µs)"
        return factor, 3, False, shown

    def invoices_to_roles(of):
        invoices, roles = (of["middle"][name]["64"]["per_second"] for name in (INVOICE, ROLE))
        shown = f"{invoices / roles:.2f} ({invoices:,.0f}/s to {roles:,.0f}/s)"
        return invoices / roles, 0.7, True, shown

    def group_commit(name):
        def measure(of):
            row = of["creates"][name]
            shown = f"{row['ratio']:.1f} times ({row['grouped']:,.0f}/s to {row['alone']:,.0f}/s)"
            return row["ratio"], 4, True, shown

        return measure

    def growth(of):
        grown = sorted(growths(of["sizes"]).items(), key=lambda item: item[1])
        within = sum(1 for _, factor in grown if factor <= 2)
        name, factor = grown[-1]
        shown = f"{factor:.1f} times ({name}); {within} of {len(grown)} within 2"
        return factor, 2, False, shown

    def depth(of):
        last, first = (largest(of["sizes"][name]) for name in (LAST, LIST))
        return last / first, 2, False, f"{last / first:.2f} times"

    def start(of):
        row = of["start"]
        shown = f"{row['milliseconds']:.0f} ms (slowest {row['slowest']:.0f} ms)"
        return row["milliseconds"], 100, False, shown

    def idle(of):
        return of["start"]["idle_mib"], 20, False, f"{of['start']['idle_mib']:.1f} MiB"

    def busy(of):
        return of["memory"]["peak_mib"], 128, False, f"{of['memory']['peak_mib']:.1f} MiB"

    def hashing(connections):
        def measure(of):
            row = of["hashing"][str(connections)]
            shown = f"{row['ratio']:.1f} times ({row['p99']:,.0f} to {row['quiet_p99']:,.0f} µs)"
            return row["ratio"], 5, False, shown

        return measure

    def add_ratio(name, connections, bound, engine, shown=None):
        what = f"{shown or name}, {connections} connections"
        add(what, f"at least {bound:.2f} of the limit", engine, ratio(name, connections, bound))

    for engine, bounds in OF_BY_HAND.items():
        for name, bound in bounds.items():
            measure = ratio(name, 32, bound, "hand_ratio")
            add(f"{name}, 32 connections", f"at least {bound:.2f} of by hand", engine, measure)
    add("p99 of each of these", "at most 1.3 times that of by hand", "sqlite", slowest)
    add_ratio(READ, 32, 0.55, "sqlite")
    add_ratio(LIST, 32, 0.45, "sqlite")
    add_ratio(ROLE, 32, 0.35, "sqlite", f"{ROLE}, durable")
    add(f"processor time: {READ}", "at most 3 times the limit's", "sqlite", processor_time)
    for name in (ROLE, INVOICE, "pay an invoice"):
        target = "at least 4 times one transaction a request"
        add(f"{name}, durable, 64 connections", target, "sqlite", group_commit(name))
    add_ratio(READ, 32, 0.35, "postgres")
    add_ratio(LIST, 32, 0.20, "postgres")
    add_ratio(INVOICES, 32, 0.20, "postgres")
    what = f"{INVOICE}, 64 connections"
    add(what, "at least 0.7 of creating roles", "postgres", invoices_to_roles)
    for engine in ENGINES:
        target = "at most 2 times that of the smallest size"
        add("p50 of any list page, search, statistics at the largest size", target, engine, growth)
    for engine in ENGINES:
        target = "at most 2 times page 1"
        add("p50 of the last page of users", target, engine, depth)
    for engine in ENGINES:
        add("start to first answer", "at most 100 ms", engine, start)
    for engine in ENGINES:
        add("resident memory, idle", "at most 20 MiB", engine, idle)
        add("resident memory, a mix at 256 connections", "at most 128 MiB", engine, busy)
    for engine in ENGINES:
        for connections in (1, 32):
            many = "1 connection" if connections == 1 else f"{connections} connections"
            what = f"p99 of reads by {many} while {USERS_AT_ONCE} users are created at once"
            add(what, "under 5 times the quiet one", engine, hashing(connections))
    return found


def verdict(value, bound, more_is_better):
    met = value >= bound if more_is_better else value <= bound
    if met:
        return "met"
    if not more_is_better and value > 2 * bound:
        return f"**missed**: {value / bound:.1f} times as much"
    missing = 1 - value / bound if more_is_better else value / bound - 1
    return f"**missed** by {missing:.0%}"


def growths(sizes):
    """For each list, search and statistics: its p50 at the largest size divided by its p50 at the
    smallest."""
    return {
        name: largest(row) / list(row["p50"].values())[0]
        for name, row in sizes.items()
        if "p50" in row and name.startswith(("list", "search", "statistics"))
    }


def largest(row):
    return list(row["p50"].values())[-1]
