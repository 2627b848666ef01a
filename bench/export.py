"""Measures an export of a million invoices.

Fills a new SQLite database, exports it from the published build, and prints a
table in Markdown: the time to the first byte, compared with a list of one
invoice in the same run, and the memory of the service. Uses 127.0.0.1 only.

usage: python3 bench/export.py [INVOICES]    (default 1000000)
"""

import pathlib
import statistics
import sys
import tempfile
import threading
import time

from harness import data
from harness.processes import KEY, Failed

ROUNDS = 5
INVOICES = 1_000_000


def fetch(service, path):
    """Seconds to the first byte and to the last, and the number of lines."""
    connection = service.connect()
    started = time.perf_counter()
    connection.request("GET", path, headers={"X-API-Key": KEY})
    reply = connection.getresponse()
    if reply.status != 200:
        raise Failed(f"GET {path} was answered with {reply.status}: {reply.read()}")
    lines = reply.read(1).count(b"\n")
    first = time.perf_counter() - started
    while part := reply.read(1 << 16):
        lines += part.count(b"\n")
    connection.close()
    return first, time.perf_counter() - started, lines


def exported(service, invoices, say):
    first, whole = [], []
    for form, extra in (("csv", 1), ("ndjson", 0)):
        for number in range(ROUNDS):
            say(f"export as {form}, {number + 1} of {ROUNDS}")
            begun, ended, lines = fetch(service, f"/api/payment-invoices/export?format={form}")
            if lines != invoices + extra:
                raise Failed(f"expected {invoices + extra} lines, received {lines}")
            first.append(begun)
            whole.append(ended)
    return first, whole


def measure(say, invoices=INVOICES):
    """Returns the results as a Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        engine, size = data.Sqlite(pathlib.Path(folder)), data.Size(1_000, invoices)
        data.fill(engine, size, say)
        with data.serve(engine, size) as service:
            one = [fetch(service, "/api/payment-invoices?per_page=1")[0] for _ in range(ROUNDS)]
            idle = service.memory_mib()
            peak, done = [idle], threading.Event()

            def watch():
                while not done.wait(0.01):
                    peak.append(service.memory_mib())

            watcher = threading.Thread(target=watch)
            watcher.start()
            try:
                first, whole = exported(service, invoices, say)
            finally:
                done.set()
                watcher.join()

    list_of_one, soon = statistics.median(one), statistics.median(first)
    return "\n".join(
        (
            f"| {invoices} invoices, SQLite | |",
            "|---|---|",
            f"| list of one, median | {list_of_one * 1e3:.1f} ms |",
            f"| first byte of an export, median of {len(first)} "
            f"| {soon * 1e3:.1f} ms, {soon / list_of_one:.2f} times the list |",
            f"| first byte, slowest | {max(first) * 1e3:.1f} ms |",
            f"| whole export, median | {statistics.median(whole):.1f} s |",
            f"| resident memory, idle and peak | {idle:.1f} MiB, {max(peak):.1f} MiB |",
        )
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INVOICES
    print(measure(lambda words: print(words, file=sys.stderr), count))
