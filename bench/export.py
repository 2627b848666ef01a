"""What an export of a million invoices costs.

Fills a new SQLite database, exports it from the release build, and prints a
table in Markdown: how soon the first byte comes, against a list of one invoice
in the same run, and how much memory the service takes on. Everything stays on
127.0.0.1.

usage: python3 bench/export.py [INVOICES, 1000000 unless said otherwise]
"""

import http.client
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

KEY = "a-key-for-measuring-only"
PROGRAM = pathlib.Path(__file__).parent.parent / "target/release/steward"
ROUNDS = 5

FILL = """
INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                   created_at, updated_at)
VALUES ('anna', 'anna@example.com', 'anna', 'anna@example.com', 'x', 'active', 0, 0);
INSERT INTO payment_gateways (key, name, enabled, created_at) VALUES ('card', 'Card', TRUE, 0);
INSERT INTO currencies (code, code_folded, minimum_value, exchange_rate, is_default)
VALUES ('EUR', 'eur', 0, '1', TRUE);
INSERT INTO payment_invoices (user_id, gateway_id, transaction_id, amount, original_amount,
                              currency_id, is_paid, paid_at, failed_reason, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
SELECT 1, 1, 'T-' || i, 10000 + i, 10000 + i, 1, TRUE, 1700000000 + i, '', 1700000000 + i FROM n
"""


def start(folder):
    process = subprocess.Popen(
        [PROGRAM, "--listen", "127.0.0.1:0", "--data-dir", folder, "--log-level", "warn"]
        + ["--server-query", "off"],
        env={**os.environ, "STEWARD_ADMIN_KEY": KEY},
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, process.stdout.readline().split("//")[1].strip()


def resident_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def fetch(address, path):
    """Seconds to the first byte and to the last, and the number of lines."""
    connection = http.client.HTTPConnection(address)
    started = time.perf_counter()
    connection.request("GET", path, headers={"X-API-Key": KEY})
    reply = connection.getresponse()
    assert reply.status == 200, reply.read()
    lines = reply.read(1).count(b"\n")
    first = time.perf_counter() - started
    while part := reply.read(1 << 16):
        lines += part.count(b"\n")
    return first, time.perf_counter() - started, lines


def main():
    invoices = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        process, _ = start(folder)
        process.terminate()
        process.wait(30)
        database = sqlite3.connect(pathlib.Path(folder) / "steward.db")
        *before, last = FILL.strip().split(";\n")
        for statement in before:
            database.execute(statement)
        database.execute(last, (invoices,))
        database.commit()
        database.close()

        process, address = start(folder)
        one = [fetch(address, "/api/payment-invoices?per_page=1")[0] for _ in range(ROUNDS)]
        idle = resident_mib(process)
        peak, done = [idle], threading.Event()

        def watch():
            while not done.wait(0.01):
                peak.append(resident_mib(process))

        watcher = threading.Thread(target=watch)
        watcher.start()
        first, whole = [], []
        for form, extra in (("csv", 1), ("ndjson", 0)):
            for _ in range(ROUNDS):
                print(f"export as {form}", file=sys.stderr)
                begun, ended, lines = fetch(address, f"/api/payment-invoices/export?format={form}")
                assert lines == invoices + extra, lines
                first.append(begun)
                whole.append(ended)
        done.set()
        watcher.join()
        process.terminate()
        assert process.wait(30) == 0

    ratio = statistics.median(first) / statistics.median(one)
    print(f"| {invoices} invoices, SQLite | |")
    print("|---|---|")
    print(f"| list of one, median | {statistics.median(one) * 1e3:.1f} ms |")
    print(f"| first byte of an export, median of {len(first)} | {statistics.median(first) * 1e3:.1f} ms, {ratio:.2f} of that |")
    print(f"| first byte, slowest | {max(first) * 1e3:.1f} ms |")
    print(f"| whole export, median | {statistics.median(whole):.1f} s |")
    print(f"| resident memory, idle and at most | {idle:.1f} MiB, {max(peak):.1f} MiB |")


main()
