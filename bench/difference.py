#!/usr/bin/env python3
"""Shows where the service executes more instructions than the program by hand.

Counts the operations that both have under callgrind, each on a new database with
the same rows, and adds up the instructions of each function by part of the
program. Uses the existing published build.

usage: bench/difference.py [--engine ENGINE]
"""

import argparse
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from callgrind import CallgrindByHand, CallgrindService, Failed, under_callgrind
from callgrind_file import parse_costs
from instructions import ENGINES, REQUESTS, fill, log, operations, rounds

NAMES = (
    "read one user with roles",
    "list users, page 1",
    "check a ban",
    "create role",
    "create invoice",
)
# The first match counts. Functions of C have no path.
PARTS = (
    ("SHA-256", r"sha2::|sha256"),
    ("hash of the entity tag", r"twox_hash|etag|base64"),
    ("JSON", r"serde|kernel::json|itoa|zmij|ryu"),
    ("log line, formatting", r"tracing|steward::logging|core::fmt|alloc::fmt|core::num::fmt"),
    ("metrics, spans", r"metrics|quanta|spans"),
    ("hyper, headers", r"hyper|httparse|http::|http_body|httpdate"),
    ("axum, tower", r"axum|tower|matchit"),
    ("PostgreSQL's protocol", r"tokio_postgres|postgres_protocol|postgres_types|deadpool"),
    ("channels of std", r"std::sync::mpsc"),
    ("tokio", r"tokio|mio::|futures_"),
    ("key, admission, limits", r"kernel::(auth|limits)"),
    ("kernel: http", r"kernel::http"),
    ("kernel: write", r"kernel::(write|secret)"),
    ("kernel: the rest", r"kernel::"),
    ("db", r"\bdb::"),
    ("slices", r"(accounts|payments|moderation|platform|server)::"),
    ("program by hand", r"bench_by_hand"),
    ("rusqlite", r"rusqlite|hashlink"),
    ("memory: allocating, freeing", r"\b_?mi_|malloc|\bfree\b|realloc|calloc|__rust|__rdl"),
    ("memory: copying, comparing", r"memmove|memcpy|memset|memcmp|strlen|bcmp"),
    ("clock, system calls, libc", r"gettime|vdso|pthread|syscall|clone|writev|recv|send|epoll"
     r"|read64|write64|futex|lll_|fcntl|fsync|stat64|errno"),
    ("standard library", r"::|<"),
    ("SQLite", r""),
)


def part_of(function):
    return next(name for name, pattern in PARTS if re.search(pattern, function))


def parts_of(file):
    """The instructions of each part in a dump of callgrind."""
    parts = collections.Counter()
    for function, count in parse_costs(file)[0].items():
        parts[part_of(function)] += count
    return parts


def measure(engine, program):
    """The instructions of each operation, and those of its parts."""
    found = {}
    with under_callgrind(engine, fill, program) as running:
        idle = parts_of(pathlib.Path(f"{running.out}.{running.dumps}"))
        for operation in operations():
            if operation.name in NAMES:
                costs = rounds(running, operation)
                cost, file = costs[len(costs) // 2]
                parts = parts_of(file)
                # The rest of the dump is what the program does while it waits.
                share = (parts.total() - cost * REQUESTS) / idle.total()
                each = {name: (parts[name] - share * idle[name]) / REQUESTS for name, _ in PARTS}
                found[operation.name] = cost, each
                log(f"{program.__name__}, {operation.name}: {cost:,.0f}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    engine = parser.parse_args().engine
    ours, theirs = (measure(engine, program) for program in (CallgrindService, CallgrindByHand))
    print(f"| {engine} | service | by hand | ratio |\n|---|---|---|---|")
    for name in NAMES:
        (more, _), (less, _) = ours[name], theirs[name]
        print(f"| {name} | {more:,.0f} | {less:,.0f} | {more / less:.2f} |")
    print(f"\n| more than by hand | {' | '.join(NAMES)} |\n|---{'|---' * len(NAMES)}|")
    for part, _ in PARTS:
        more = [ours[name][1][part] - theirs[name][1][part] for name in NAMES]
        if any(more):
            print(f"| {part} | {' | '.join(f'{count:,.0f}' for count in more)} |")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"difference: {failed}")
