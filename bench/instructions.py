#!/usr/bin/env python3
"""Counts the instructions that the service executes for a request.

Runs the published build under callgrind on a small fixed database, and counts
the instructions of the main operations in user space, on SQLite and on
PostgreSQL. Unlike a time, a count hardly depends on the machine or on its other
load. Fails if a count is more than 10 % above the one in
bench/instruction-counts.tsv.
"""

import argparse
import datetime
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True

from callgrind import KEY, ROOT, Failed, request, under_callgrind
from callgrind_file import parse_costs
from harness.processes import build

COUNTS_FILE = ROOT / "bench/instruction-counts.tsv"
ENGINES = ("SQLite", "PostgreSQL")
TOLERATED = 0.10

WARM_UP, ROUNDS, REQUESTS = 40, 5, 40
SENT = WARM_UP + ROUNDS * REQUESTS
ROLES, USERS, PAID = 8, 100, 60
INVOICES = PAID + SENT
# Products with a role that no user has yet. Each user buys each at most once, so that paying always
# gives a role.
PRODUCTS = -(-SENT // USERS)
# The lengths of the ranges of addresses that are banned. A check looks for each of IPv6.
IPV4_PREFIXES, IPV6_PREFIXES = range(16, 32), range(33, 57)
FIRST_STEAM_ID = 76_561_197_960_265_729
TOP = 40


class Operation:
    """An operation: its i-th request, and the expected status."""

    def __init__(self, name, method, path, body=lambda i: None, status=200, key=KEY):
        self.name, self.status = name, status
        self.request = lambda i: request(method, path(i), body(i), key)


def operations():
    today = datetime.datetime.now(datetime.timezone.utc).date()
    month = "start_date={}&end_date={}".format(
        today - datetime.timedelta(days=29), today + datetime.timedelta(days=1)
    )
    invoices = "/api/payment-invoices"
    return [
        Operation("health", "GET", lambda i: "/healthz"),
        Operation("wrong key", "GET", lambda i: "/api/users/1", status=401, key=KEY + "!"),
        Operation("read one user with roles", "GET", lambda i: f"/api/users/{1 + i % USERS}"),
        Operation("list users, page 1", "GET", lambda i: "/api/users"),
        Operation("list users of a role", "GET", lambda i: f"/api/users?role_id={1 + i % ROLES}"),
        Operation("search users, rare", "GET", lambda i: f"/api/users/search?q=er{i % USERS:03}@"),
        Operation("read one invoice", "GET", lambda i: f"{invoices}/{1 + i % PAID}"),
        Operation("list invoices, page 1", "GET", lambda i: invoices),
        Operation("statistics of a month", "GET", lambda i: f"{invoices}/stats?{month}"),
        Operation("navigation item with children", "GET", lambda i: "/api/navbar-items/1"),
        Operation("check a ban", "GET", check),
        Operation("create role", "POST", lambda i: "/api/roles", role, 201),
        Operation("create invoice", "POST", lambda i: invoices, order, 201),
        Operation(
            "pay invoice", "PUT", lambda i: f"{invoices}/{1 + PAID + i}/status", lambda i: PAY
        ),
        Operation(
            "pay invoice of a role",
            "PUT",
            lambda i: f"{invoices}/{1 + INVOICES + i}/status",
            lambda i: PAY,
        ),
    ]


PAY = {"is_paid": True}


def role(i):
    return {"name": f"Guard {i:04}", "description": "Keeps the peace"}


def order(i):
    return {
        "user_id": 1 + i % USERS,
        "gateway": ("card", "wallet", "transfer")[i % 3],
        "amount": 5 + i % 50,
        "currency_id": 1 + i // 3 % 2,
    }


def check(i):
    """A player on an address that is in no range, although its network has many. Every fourth is
    banned."""
    player = FIRST_STEAM_ID + (i % 40 if i % 4 == 0 else 1_000 + i)
    return f"/api/bans/check?steam_id64={player}&ip=2001:db8:ffff::{i}"


def fill(service):
    """Creates a small community. Ids count from 1."""

    def create(path, body):
        service.send(request("POST", path, body), 201)

    fill_community(service, create)
    fill_products(create)
    fill_bans(create)


def fill_community(service, create):
    for i in range(ROLES):
        create("/api/roles", {"name": f"Role {i}", "description": "Keeps the peace"})
    for i in range(USERS):
        user = {
            "username": f"player{i:03}",
            "email": f"player{i:03}@example.com",
            "password": "battery staple",
            "role_ids": [1 + i % ROLES, 1 + (i + 3) % ROLES],
        }
        create("/api/users", user)
    for code in ("EUR", "USD"):
        create("/api/currencies", {"code": code, "minimum_value": 0, "exchange_rate": 1})
    for i in range(INVOICES):
        create("/api/payment-invoices", order(i))
    for i in range(PAID):
        service.send(request("PUT", f"/api/payment-invoices/{1 + i}/status", PAY), 200)
    create("/api/navbar-items", {"title": "Play", "url": "/play", "roles": [1, 2]})
    for i in range(5):
        child = {"title": f"Server {i}", "url": f"/servers/{i}", "parent_id": 1}
        create("/api/navbar-items", child)


def fill_products(create):
    """Products that give a role for 30 days, and invoices for them."""
    for i in range(PRODUCTS):
        create("/api/roles", {"name": f"VIP {i}", "description": "Has paid"})
        step = {"kind": "role", "role_id": 1 + ROLES + i, "seconds": 30 * 86_400}
        prices = [{"currency_id": 1, "amount": 5}]
        create("/api/products", {"name": f"VIP {i}", "prices": prices, "steps": [step]})
    for i in range(SENT):
        bought = {"user_id": 1 + i % USERS, "product_id": 1 + i // USERS, "currency_id": 1}
        create("/api/payment-invoices", {**bought, "gateway": "card"})


def fill_bans(create):
    ranges = [f"192.0.0.0/{length}" for length in IPV4_PREFIXES]
    ranges += [f"2001:db8::/{length}" for length in IPV6_PREFIXES]
    for i, ip_range in enumerate(ranges):
        ban = {"kind": "ban", "steam_id64": str(FIRST_STEAM_ID + i), "ip_range": ip_range}
        create("/api/bans", {**ban, "reason": "Cheating"})


def rounds(service, operation):
    """The instructions per request and the callgrind file of each round, the cheapest first."""
    requests = [operation.request(i) for i in range(SENT)]
    service.count(requests[:WARM_UP], operation.status)
    starts = range(WARM_UP, SENT, REQUESTS)
    return sorted(
        service.count(requests[start : start + REQUESTS], operation.status) for start in starts
    )


def measure(engine):
    counts = {}
    log(f"{engine}: filling a database, then counting")
    with under_callgrind(engine, fill) as service:
        for operation in operations():
            # A background job makes one round an outlier; the median ignores it.
            median = statistics.median(cost for cost, _ in rounds(service, operation))
            counts[operation.name, engine] = round(median)
            log(f"{engine}: {median:10,.0f}  {operation.name}")
    return counts


def log(text):
    print(text, file=sys.stderr, flush=True)


def made_with():
    def version(tool):
        out = subprocess.run([tool, "--version"], cwd=ROOT, capture_output=True, text=True)
        return out.stdout.strip()

    tools = [version("rustc"), version("valgrind"), " ".join(platform.libc_ver())]
    how = "# Instructions a request in user space, by bench/instructions.py: the published build"
    return ", ".join([how, *tools])


def write(counts):
    lines = [made_with(), "\t".join(["operation", *ENGINES])]
    for operation in operations():
        row = [str(counts[operation.name, engine]) for engine in ENGINES]
        lines.append("\t".join([operation.name, *row]))
    COUNTS_FILE.write_text("\n".join(lines) + "\n")
    log(f"wrote {COUNTS_FILE.relative_to(ROOT)}")


def committed():
    """Reads the first line of the file, and its counts."""
    try:
        first, _, *rows = COUNTS_FILE.read_text().splitlines()
        counts = {}
        for row in rows:
            name, *numbers = row.split("\t")
            for engine, count in zip(ENGINES, numbers, strict=True):
                counts[name, engine] = int(count)
    except (OSError, ValueError) as error:
        raise Failed(f"{COUNTS_FILE.relative_to(ROOT)} cannot be read: {error}") from error
    return first, counts


def compare(counts, engines):
    """Prints the table. Returns whether the check passed."""
    first, before = committed()
    verdicts = set()
    print(f"{'operation':<32}{'engine':<12}{'committed':>12}{'now':>12}{'change':>10}")
    for name, engine in dict.fromkeys([*counts, *before]):
        if engine not in engines:
            continue
        old, new = before.get((name, engine)), counts.get((name, engine))
        change, verdict = "", "differs"
        if old and new:
            growth = new / old - 1
            change = f"{growth:+.1%}"
            verdict = "grew" if growth > TOLERATED else "shrank" if growth < -TOLERATED else ""
        verdicts.add(verdict)
        print(f"{name:<32}{engine:<12}{old or '-':>12}{new or '-':>12}{change:>10}  {verdict}")
    if first != made_with():
        print(f"\nThe committed counts were made with other tools. Before, and now:\n{first}")
        print(made_with())
    if "shrank" in verdicts:
        print(f"\nSome shrank by more than {TOLERATED:.0%}. Commit that: make bench-instructions")
    if "differs" in verdicts:
        print("\nThe file lists other operations. Rewrite it: make bench-instructions")
    if "grew" in verdicts:
        print(f"\nSome grew by more than {TOLERATED:.0%}. bench/instructions.py --profile OPERATION")
        print("shows where. If that is intended, rewrite the file: make bench-instructions")
    return not verdicts & {"grew", "differs"}


def profile(engine, operation):
    kept = ROOT / "target" / re.sub(r"\W+", "-", f"callgrind {engine} {operation.name}".lower())
    with under_callgrind(engine, fill) as service:
        cost, file = rounds(service, operation)[0]
        shutil.copyfile(file, kept)
    print(f"{operation.name}, {engine}: {cost:,.0f} instructions a request")
    exclusive, inclusive = parse_costs(kept)
    for title, costs in (("Including calls", inclusive), ("Excluding calls", exclusive)):
        print(f"\n{title}:")
        for function, count in costs.most_common(TOP):
            print(f"{count / REQUESTS:12,.0f}  {count / exclusive.total():6.1%}  {function}")
    kept = kept.relative_to(ROOT)
    print(f"\nCallers and callees: callgrind_annotate --tree=both --inclusive=yes {kept}")


def operation_named(text):
    found = [operation for operation in operations() if operation.name.startswith(text)]
    if len(found) != 1:
        names = ", ".join(f"'{operation.name}'" for operation in operations())
        raise argparse.ArgumentTypeError(f"give the name of one of these, or its beginning: {names}")
    return found[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, help="count on this engine only")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help=f"rewrite {COUNTS_FILE.name}")
    action.add_argument(
        "--profile",
        type=operation_named,
        metavar="OPERATION",
        help="show where the instructions of this operation are spent",
    )
    options = parser.parse_args()
    if options.write and options.engine:
        parser.error("--write needs both engines")
    # Exit normally, so that processes are stopped and temporary files removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    build()
    if options.profile:
        profile(options.engine or ENGINES[0], options.profile)
        return
    engines = [options.engine] if options.engine else ENGINES
    counts = {}
    for engine in engines:
        counts |= measure(engine)
    if options.write:
        write(counts)
    elif not compare(counts, engines):
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"instructions: {failed}")
    except KeyboardInterrupt:
        sys.exit(130)
