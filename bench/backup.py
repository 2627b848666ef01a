"""Measures how a backup slows down concurrent writes.

Fills a database (a kept one is used again), writes 200 roles a second, first alone
and then while the service takes a backup, and compares the 99th percentile of the
writes and the resident memory. Then it checks the backup: `steward check`, a
service that serves it, and every write that was acknowledged before its moment.
Prints a table in Markdown and fails if the 99th percentile grew more than 3 times,
or the memory by more than 64 MiB. Uses 127.0.0.1 only.

usage: python3 bench/backup.py FOLDER [USERS INVOICES] [sqlite|postgres]
       (default 1000000 users and 5000000 invoices, sqlite)
"""

import concurrent.futures
import pathlib
import queue
import shutil
import statistics
import subprocess
import sys
import threading
import time

from harness import data
from harness.processes import STEWARD, Failed, Service, run, send

WRITES_PER_SECOND = 200
WRITERS = 16
QUIET_SECONDS = 20
WARM_UP_SECONDS = 2
LARGEST_GROWTH = 3
LARGEST_MEMORY_MIB = 64
DEADLINE_SECONDS = 3600


class Writes:
    """Writes at a fixed rate. The duration of a write counts from the moment it was due, so that a
    pause of the service shows in all the writes that it delays."""

    def __init__(self, service, label):
        self.service = service
        self.label = label
        self.due = queue.Queue()
        self.took = []
        self.acknowledged = []
        self.stopped = threading.Event()

    def __enter__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(WRITERS + 1)
        self.running = [self.pool.submit(self._write) for _ in range(WRITERS)]
        self.running.append(self.pool.submit(self._schedule))
        return self

    def _schedule(self):
        start = time.perf_counter()
        number = 0
        while not self.stopped.is_set():
            due = start + number / WRITES_PER_SECOND
            time.sleep(max(0, due - time.perf_counter()))
            self.due.put((due, number))
            number += 1
        for _ in range(WRITERS):
            self.due.put(None)

    def _write(self):
        connection = self.service.connect()
        while (task := self.due.get()) is not None:
            due, number = task
            name = f"{self.label} {number}"
            send(connection, "POST", "/api/roles", {"name": name})
            self.took.append((due, (time.perf_counter() - due) * 1e3))
            self.acknowledged.append(name)

    def between(self, start, end):
        """The durations in milliseconds of the writes that were due in this period."""
        return [took for due, took in self.took if start <= due <= end]

    def __exit__(self, kind, *_):
        self.stopped.set()
        self.pool.shutdown()
        if kind is None:
            for task in self.running:
                task.result()


def percentile(values, part):
    return statistics.quantiles(values, n=1000)[round(part * 1000) - 1]


def take_backup(service):
    """Waits until the backup is complete. Returns its name and its duration."""
    connection = service.connect()
    started = time.monotonic()
    reply, _ = send(connection, "POST", "/api/backups")
    name = reply["backup"]["name"]
    while time.monotonic() - started < DEADLINE_SECONDS:
        listed, _ = send(connection, "GET", "/api/backups")
        state = next(b["state"] for b in listed["backups"] if b["name"] == name)
        if state == "failed":
            raise Failed("the backup failed; start the service by hand to read its log")
        if state == "done":
            return name, time.monotonic() - started
        time.sleep(0.2)
    raise Failed(f"the backup did not end within {DEADLINE_SECONDS} s")


def check_copy(backup, original, folder, before):
    """Fails unless the backup passes the check, can be served, and has every earlier write."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(backup, folder / "steward.db")
    shutil.copy(original / "secret.key", folder / "secret.key")
    run([STEWARD, "check", "--data-dir", folder], stdout=subprocess.PIPE, cwd=folder)
    with Service(folder) as copy:
        roles, _ = copy.get("/api/roles")
        names = {role["name"] for role in roles["roles"]}
        missing = [name for name in before if name not in names]
        if missing:
            raise Failed(f"the backup lacks {len(missing)} acknowledged writes: {missing[:3]}")
        copy.get("/api/users?per_page=100")
        copy.get("/api/payment-invoices/stats")


def measure(engine, size, folder):
    stored = folder / f"backups-{engine.name}"
    shutil.rmtree(stored, ignore_errors=True)
    options = ("--server-query", "off", "--backup-dir", stored, *engine.options(size))
    stamp = time.time_ns()
    with Service(engine.data_dir(size), options) as service:
        with Writes(service, f"quiet {stamp}") as quiet:
            time.sleep(WARM_UP_SECONDS)
            start = time.perf_counter()
            time.sleep(QUIET_SECONDS)
            quiet_times = quiet.between(start, time.perf_counter())
        memory = service.memory_mib()
        with Writes(service, f"busy {stamp}") as busy:
            time.sleep(WARM_UP_SECONDS)
            before = quiet.acknowledged + busy.acknowledged
            start = time.perf_counter()
            name, seconds = take_backup(service)
            end = time.perf_counter()
        busy_times = busy.between(start, end)
        peak = service.memory_mib("VmHWM")
    check_copy(stored / name, engine.data_dir(size), folder / "copy", before)
    growth = percentile(busy_times, 0.99) / percentile(quiet_times, 0.99)
    print(f"\n| {engine.title}, {size.title} | |")
    print("|---|---|")
    print(f"| backup | {seconds:.1f} s, {(stored / name).stat().st_size / 2**20:.0f} MiB |")
    for title, took in (("quiet", quiet_times), ("during the backup", busy_times)):
        median, slow = percentile(took, 0.5), percentile(took, 0.99)
        print(f"| writes, {title} | {len(took)}; p50 {median:.1f} ms, p99 {slow:.1f} ms |")
    print(f"| growth of p99 | {growth:.1f} times |")
    print(f"| resident memory, before and peak | {memory:.1f} MiB, {peak:.1f} MiB |")
    print(f"| the copy | checked, served, has all {len(before)} earlier writes |")
    if growth > LARGEST_GROWTH:
        raise Failed(f"the 99th percentile of writes grew {growth:.1f} times")
    if peak - memory > LARGEST_MEMORY_MIB:
        raise Failed(f"the resident memory grew by {peak - memory:.0f} MiB")


def main():
    words = sys.argv[1:]
    kind = words.pop() if words and words[-1] in data.ENGINES else "sqlite"
    if len(words) not in (1, 3):
        sys.exit(__doc__)
    folder, *numbers = words
    folder = pathlib.Path(folder).absolute()
    size = data.Size(*(int(number) for number in numbers or (1_000_000, 5_000_000)))
    engine = data.ENGINES[kind](folder)
    try:
        data.fill(engine, size, lambda text: print(text, file=sys.stderr))
        measure(engine, size, folder)
    except Failed as error:
        sys.exit(f"backup: {error}")
    finally:
        engine.stop()


if __name__ == "__main__":
    main()
