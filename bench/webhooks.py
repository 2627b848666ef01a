"""Measures how webhooks slow down writes.

Creates roles over 64 connections, as fast as the service makes them durable, in rounds
of three kinds: without a webhook, with a webhook on every event to a receiver that
answers at once, and with it and a million due deliveries to a receiver that refuses
connections. The rounds take turns in one run on one database, and each is compared with
the one without a webhook next to it, since the speed of a machine changes from minute to
minute. Prints a table in Markdown and fails if the median of one of the two ratios is
below 0.9. Uses 127.0.0.1 only.

usage: python3 bench/webhooks.py FOLDER [PENDING] [sqlite|postgres]
       (default 1000000 pending deliveries, sqlite)
"""

import collections
import pathlib
import statistics
import sys
import time

from harness.engines import ENGINES, serve
from harness.load import drive, unused_number
from harness.operations import CREATE_ROLE, create
from harness.processes import Failed, limit, send

CONNECTIONS = 64
SECONDS = 3
WARM_UP_SECONDS = 0.5
ROUNDS = 12
SETTLING_SECONDS = 120
PAUSE_SECONDS = 1
SMALLEST_RATIO = 0.9
# Nothing listens on this port.
DEAD = "http://127.0.0.1:9/"
OPTIONS = ("--webhook-networks", "127.0.0.0/8")


def subscribe(service, url):
    body = {"url": url, "active": False}
    reply, _ = send(service.connect(), "POST", "/api/webhooks", body)
    return reply["webhook"]["id"]


def switch(service, webhook, active):
    """A webhook can be switched on again once its earlier events are queued. Until then the service
    answers that it is busy, and queues them."""
    until = time.monotonic() + SETTLING_SECONDS
    while True:
        try:
            send(service.connect(), "PUT", f"/api/webhooks/{webhook}", {"active": active})
            return
        except Failed as error:
            if '"busy"' not in str(error) or time.monotonic() > until:
                raise


def prepare(service, webhooks):
    """Switches webhooks on and off, and leaves no events of the last round to be queued."""
    for webhook, active in webhooks.items():
        for step in (False, True, active):
            switch(service, webhook, step)
    time.sleep(PAUSE_SECONDS)


def make_pending(engine, webhook, count):
    """Inserts old audit entries, each with a due delivery."""
    engine.run(
        [
            "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id, "
            "before, after) SELECT 1, 'bench', 'bench', 'bench.fill', 'bench', n, '{}', '{}' "
            f"FROM {engine.numbers(count)}",
            "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made, "
            f"created_at, attempts) SELECT {webhook}, id, 'pending', 0, 1, '[]' "
            "FROM audit_log WHERE action = 'bench.fill'",
            "INSERT INTO queue (kind, line, item, next_attempt_at, leased_until) "
            f"SELECT 'webhooks', {webhook}, id, 1, 0 "
            "FROM audit_log WHERE action = 'bench.fill'",
        ]
    )


def delivered(service):
    """The number of events that this service has delivered so far."""
    connection = service.connect()
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    name = 'steward_webhook_attempts_total{outcome="delivered"}'
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def measure_round(service):
    """The number of roles created and of events delivered in a second."""
    before = delivered(service)
    got = drive(
        service,
        [create(*CREATE_ROLE)],
        {"n": {"count_from": unused_number()}},
        CONNECTIONS,
        SECONDS,
        WARM_UP_SECONDS,
    )
    return got["per_second"], (delivered(service) - before) / (SECONDS + WARM_UP_SECONDS)


def measure(engine, pending):
    engine.create()
    with limit() as receiver:
        with serve(engine, *OPTIONS) as service:
            every = subscribe(service, f"http://{receiver.address}/300")
            dead = subscribe(service, DEAD)
        make_pending(engine, dead, pending)
        kinds = {
            "without a webhook": (False, False),
            "with a webhook on every event": (True, False),
            f"with it and {pending:,} due deliveries to a dead receiver": (True, True),
        }
        rounds = {kind: [] for kind in kinds}
        with serve(engine, *OPTIONS) as service:
            for number in range(ROUNDS):
                # Each kind comes first, second and last in turn.
                order = collections.deque(kinds.items())
                order.rotate(number)
                for kind, (with_every, with_dead) in order:
                    prepare(service, {every: with_every, dead: with_dead})
                    rounds[kind].append(measure_round(service))
    report(engine, rounds)


def report(engine, rounds):
    medians = {
        kind: [statistics.median(values) for values in zip(*measured)]
        for kind, measured in rounds.items()
    }
    alone = [rate for rate, _ in next(iter(rounds.values()))]
    print(f"\n| {engine.title} | roles created a second | ratio | delivered a second |")
    print("|---|---|---|---|")
    slow = []
    for kind, (rate, deliveries) in medians.items():
        rates = [rate for rate, _ in rounds[kind]]
        ratio = statistics.median(rate / other for rate, other in zip(rates, alone))
        print(f"| {kind} | {rate:,.0f} | {ratio:.2f} | {deliveries:,.0f} |")
        if ratio < SMALLEST_RATIO:
            slow.append(f"{kind}: {ratio:.2f}")
    if slow:
        raise Failed(f"creates are slower than {SMALLEST_RATIO} of those without: {slow}")


def main():
    words = sys.argv[1:]
    kind = words.pop() if words and words[-1] in ENGINES else "sqlite"
    if len(words) not in (1, 2):
        sys.exit(__doc__)
    folder, *numbers = words
    folder = pathlib.Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    engine = ENGINES[kind](folder, "webhooks")
    try:
        measure(engine, int(numbers[0]) if numbers else 1_000_000)
    except Failed as error:
        sys.exit(f"webhooks: {error}")
    finally:
        engine.stop()


if __name__ == "__main__":
    main()
