#!/usr/bin/env python3
"""Compares the service with PocketBase and writes bench/peers.md; `make bench-peers` runs it.

Both do the same work on the same data in SQLite, on 127.0.0.1. Each round measures the
service, PocketBase and the limit in turn, in an order that changes from round to round,
because the speed of a machine changes from minute to minute.

usage: bench/peers.py [--help]
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile
import time

from harness import data, peer_report, pocketbase
from harness.load import drive, requests_to_limit
from harness.machine import commit, machine, now
from harness.peer_operations import check_same_data, hold_two_roles, operations, search_terms
from harness.pocketbase import PocketBase
from harness.processes import ROOT, TICKS, Failed, build, limit

CONNECTIONS = (1, 32)
USERS = 100_000
# The processes that run during a measurement.
STARTED = ("service", "stock", "durable", "limit")


def measure_one(server, request, values, connections, seconds):
    got = drive(server, [request], values, connections, seconds, seconds / 10)
    return {"per_second": got["per_second"], "p99": got["p99"]}


def cpu_seconds_of_ours(servers):
    times = os.times()
    # Ended children are the load generator.
    ended = times.children_user + times.children_system
    running = sum(servers[name].cpu_seconds() for name in STARTED)
    return times.user + times.system + ended + running


def cpu_seconds_of_all():
    """The processor time of all programs, and the time that a virtual machine's host withheld."""
    first = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, _, _, stolen = (int(field) / TICKS for field in first[:8])
    return user + nice + system, stolen


def measure(servers, operation, connections, options):
    """The medians over all rounds for each program, and the ratios of each round."""
    peer = servers[operation.instance]
    # The limit answers with bodies of the same size as the service's.
    of_service, _ = operation.values(-1)
    size = drive(servers["service"], [operation.ours], of_service, 1, 0.1, 0)["bytes"]
    (same,) = requests_to_limit([operation.ours], size)
    rounds = []
    for number in range(options.rounds):
        if operation.instance == "durable":
            peer.make_durable()
        of_service, of_peer = operation.values(number)
        order = collections.deque(
            [
                ("service", servers["service"], operation.ours, of_service),
                ("peer", peer, operation.theirs, of_peer),
                ("limit", servers["limit"], same, of_service),
            ]
        )
        order.rotate(number)
        rounds.append(
            {
                name: measure_one(server, request, values, connections, options.seconds)
                for name, server, request, values in order
            }
        )
        if operation.instance == "durable" and peer.synchronous() != pocketbase.FULL:
            raise Failed("PocketBase did not stay durable")
    return summary(rounds)


def summary(rounds):
    def median(of, value):
        return statistics.median(row[of][value] for row in rounds)

    ratios = [row["service"]["per_second"] / row["peer"]["per_second"] for row in rounds]
    programs = {of: {value: median(of, value) for value in rounds[0][of]} for of in rounds[0]}
    return {**programs, "ratio": (statistics.median(ratios), min(ratios), max(ratios))}


def prepare(folder, users):
    """Fills the databases of the service and of two instances of PocketBase."""
    engine, size = data.Sqlite(folder), data.Size(users, 0)
    data.fill(engine, size, print)
    database = engine.data_dir(size) / "steward.db"
    hold_two_roles(database)
    print("PocketBase: copying the data", flush=True)
    pocketbase.create(folder / "stock", database)
    shutil.copytree(folder / "stock", folder / "durable")
    return engine, size, database


def compare(folder, options, start):
    engine, size, database = prepare(folder, options.users)
    terms = search_terms(database)
    with contextlib.ExitStack() as stack:
        servers = {
            "service": stack.enter_context(data.serve(engine, size)),
            "stock": stack.enter_context(PocketBase(folder / "stock")),
            "durable": stack.enter_context(PocketBase(folder / "durable", pocketbase.HOOKS)),
            "limit": stack.enter_context(limit()),
        }
        servers["ruled"] = servers["stock"].as_user(pocketbase.FIRST_ID + 1)
        both = servers["service"], servers["stock"]
        results = {
            "about": {
                **start,
                "users": options.users,
                "rounds": options.rounds,
                "seconds": options.seconds,
                "version": pocketbase.version(),
                "synchronous": servers["durable"].synchronous(),
                "matches": check_same_data(*both, options.users, terms),
            },
            "rows": [],
        }
        before = *cpu_seconds_of_all(), cpu_seconds_of_ours(servers), time.monotonic()
        for operation in operations(options.users, terms):
            for connections in CONNECTIONS:
                row = measure(servers, operation, connections, options)
                row = {"operation": operation.name, "connections": connections, **row}
                results["rows"].append(row)
                print(peer_report.line(row), flush=True)
        after = *cpu_seconds_of_all(), cpu_seconds_of_ours(servers), time.monotonic()
    used, stolen, ours, seconds = (b - a for a, b in zip(before, after))
    available = seconds * os.cpu_count()
    results["about"]["others"] = max(0, used - ours) / available
    results["about"]["stolen"] = stolen / available
    return results


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--users", type=int, default=USERS, metavar="NUMBER",
                        help=f"how many users there are (default {USERS}); with fewer the report "
                        "goes to target/bench/quick")
    parser.add_argument("--rounds", type=int, default=7, metavar="NUMBER",
                        help="how often to measure each (default 7)")
    parser.add_argument("--seconds", type=float, default=1.5, metavar="NUMBER",
                        help="how long to measure each in a round (default 1.5)")
    parser.add_argument("--report", action="store_true",
                        help="measure nothing, rewrite the report from the last results")
    return parser.parse_args()


def main():
    options = arguments()
    # Exit normally, so that processes are stopped and temporary files removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    quick = options.users < USERS
    stored = ROOT / "target/bench" / ("quick/peers.json" if quick else "peers.json")
    stored.parent.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="steward-peers-"))
    try:
        if not options.report:
            start = {"when": now(), "commit": commit(), "machine": machine()}
            start["load"] = f"{os.getloadavg()[0]:.2f}"
            build()
            stored.write_text(json.dumps(compare(folder, options, start), indent=1))
        report = (stored.parent if quick else ROOT / "bench") / "peers.md"
        peer_report.write(json.loads(stored.read_text()), report)
        print(report.read_text())
    except Failed as error:
        sys.exit(f"peers: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
