"""Measures how the slowest reads of one key slow down another key.

Fills a database (a kept one is used again), and measures `/healthz` and reads of
single users by one key: first alone, then while a read-only key repeats the
slowest lists, searches and reports on many connections. Then it sends the same
slow reads to another instance of the service on the same machine: what grows
there as well is the price of sharing a processor, not of sharing a service.
Prints a table in Markdown and fails if the 99th percentile grew more than 5
times. Uses 127.0.0.1 only.

usage: python3 bench/fairness.py FOLDER [USERS INVOICES] [sqlite|postgres]
       (default 100000 users and 500000 invoices, sqlite)
"""

import collections
import contextlib
import http.client
import multiprocessing
import os
import pathlib
import random
import shutil
import statistics
import sys
import threading
import time

from harness import data
from harness.processes import KEY, Failed, send

SECONDS = 20
CONNECTIONS = 32
LARGEST_GROWTH = 5
PERMISSIONS = ("admin.users.read", "admin.payments.read", "admin.audit.read")


def slow_paths(rng):
    """An endless series of reads whose time grows with the data."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    while True:
        text = "".join(rng.choice(letters) for _ in range(rng.choice((2, 3))))
        yield f"/api/users/search?q=example{rng.choice(letters)}"
        yield f"/api/users/search?q={text}"
        yield "/api/payment-invoices?sort=amount&gateway=stripe&status=failed&per_page=100"
        yield "/api/payment-invoices?sort=-amount&status=failed&created_to=2020-01-01"
        yield "/api/users?sort=username&role_id=1&status=banned"
        yield f"/api/users?sort=username&page={rng.randrange(1, 5000)}"
        yield "/api/audit-log?resource_id=7"
        yield "/api/audit-log?resource=users&per_page=100"
        yield "/api/payment-invoices/stats"


def repeat_slow_reads(address, key, seconds, results):
    """Runs in a separate process, so that it does not delay the measurement, and with the lowest
    priority: real clients have their own processor."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    statuses = collections.Counter()
    end = time.monotonic() + seconds

    def repeat(number):
        connection = http.client.HTTPConnection(address, timeout=60)
        for path in slow_paths(random.Random(number)):
            if time.monotonic() > end:
                return
            connection.request("GET", path, headers={"X-API-Key": key})
            reply = connection.getresponse()
            reply.read()
            statuses[reply.status] += 1

    threads = [threading.Thread(target=repeat, args=(n,)) for n in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(statuses)


def create_reader(service):
    """Creates a key that may only read."""
    connection = service.connect()
    catalog, _ = send(connection, "GET", "/api/permissions/catalog")
    ids = [p["id"] for p in catalog["permissions"] if p["name"] in PERMISSIONS]
    made, _ = send(connection, "POST", "/api/api-keys", {"name": "slow reader"})
    path = f"/api/api-keys/{made['api_key']['id']}/permissions"
    send(connection, "PUT", path, {"permission_ids": ids})
    return made["api_key"]["key"]


def measure(service, path, seconds):
    """The durations of consecutive requests in milliseconds. The service and not this client should
    wait for a processor, so the client gets the highest priority if permitted."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        return measure_now(service, path, seconds)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def measure_now(service, path, seconds):
    connection = service.connect()
    took = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        started = time.perf_counter()
        connection.request("GET", path(), headers={"X-API-Key": KEY})
        reply = connection.getresponse()
        reply.read()
        took.append((time.perf_counter() - started) * 1e3)
        if reply.status != 200:
            raise Failed(f"GET {path()} was answered with {reply.status}")
        time.sleep(0.002)
    return took


def measure_beside(service, paths, target):
    """These durations while a key reads slowly from `target`, and the statuses of its reads."""
    results = multiprocessing.Queue()
    load = multiprocessing.Process(
        target=repeat_slow_reads,
        args=(target.address, create_reader(target), SECONDS + 2, results),
    )
    load.start()
    time.sleep(1)
    took = {name: measure(service, path, SECONDS / 2) for name, path in paths.items()}
    statuses = results.get(timeout=120)
    load.join()
    return took, dict(statuses)


def serve_another(engine, size):
    """Another instance, on PostgreSQL with the same database, on SQLite with a copy."""
    if engine.cluster:
        return data.serve(engine, size)
    copy = data.Sqlite(engine.folder / "second")
    if not copy.data_dir(size).exists():
        shutil.copytree(engine.data_dir(size), copy.data_dir(size))
    return data.serve(copy, size)


def percentile(values, part):
    return statistics.quantiles(values, n=1000)[round(part * 1000) - 1]


def main():
    words = sys.argv[1:]
    kind = words.pop() if words and words[-1] in data.ENGINES else "sqlite"
    if len(words) not in (1, 3):
        sys.exit(__doc__)
    folder, *numbers = words
    size = data.Size(*(int(number) for number in numbers or (100_000, 500_000)))
    engine = data.ENGINES[kind](pathlib.Path(folder).absolute())
    worst = 0
    try:
        data.fill(engine, size, lambda text: print(text, file=sys.stderr))
        with data.serve(engine, size) as service:
            rng = random.Random(1)
            paths = {
                "/healthz": lambda: "/healthz",
                "single user": lambda: f"/api/users/{rng.randrange(1, size.users)}",
            }
            quiet = {name: measure(service, path, SECONDS / 2) for name, path in paths.items()}
            loaded, statuses = measure_beside(service, paths, service)
            with serve_another(engine, size) as another:
                beside, of_another = measure_beside(service, paths, another)
    except Failed as error:
        sys.exit(f"fairness: {error}")
    finally:
        engine.stop()
    print(f"{engine.title}, {size.title}; slow reads answered: {statuses},")
    print(f"by another instance: {of_another}\n")
    print("| read | quiet p50 | p99 | loaded p50 | p99 | growth | another loaded p99 | growth |")
    print("|---|---|---|---|---|---|---|---|")
    for name in paths:
        p50, p99 = (
            [percentile(took[name], part) for took in (quiet, loaded, beside)]
            for part in (0.5, 0.99)
        )
        growth = p99[1] / p99[0]
        worst = max(worst, growth)
        cells = (
            f"{p50[0]:.2f} ms | {p99[0]:.2f} ms | {p50[1]:.2f} ms | {p99[1]:.2f} ms | {growth:.1f}"
        )
        print(f"| {name} | {cells} | {p99[2]:.2f} ms | {p99[2] / p99[0]:.1f} |")
    if worst > LARGEST_GROWTH:
        sys.exit(f"fairness: the 99th percentile grew {worst:.1f} times")


if __name__ == "__main__":
    main()
