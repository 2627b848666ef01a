"""Measures how querying 1,000 game servers slows down reads.

Starts the published build with 1,000 servers, half of which never answer, and
measures reads with queries on and off, in turn. Prints a table in Markdown.
Uses 127.0.0.x only.

usage: python3 bench/live.py [ROUNDS]    (default 2)
"""

import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time

from harness.processes import Failed, Service, send

SERVERS = 1000
INTERVAL = 10
READS = 3000
ROUNDS = 2

INFO = (
    b"\xff\xff\xff\xffI\x11Bench\0de_dust2\0csgo\0Counter-Strike\0"
    + (730).to_bytes(2, "little")
    + bytes([7, 24, 0])
    + b"dl\0\x011.0\0\0"
)
NO_PLAYERS = b"\xff\xff\xff\xffD\0"


class GameServers:
    """Game servers, half of which answer. All of them record that they were queried."""

    def __init__(self):
        self.sockets = []
        self.selector = selectors.DefaultSelector()
        for i in range(SERVERS):
            game = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            game.bind((f"127.0.0.{2 + i % 200}", 0))
            game.setblocking(False)
            self.selector.register(game, selectors.EVENT_READ, i)
            self.sockets.append(game)
        self.queried = set()
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            for key, _ in self.selector.select():
                request, client = key.fileobj.recvfrom(2048)
                self.queried.add(key.data)
                if key.data % 2 == 0:
                    reply = INFO if request[4:5] == b"T" else NO_PLAYERS
                    key.fileobj.sendto(reply, client)


def start(folder, queries):
    options = ["--server-query", queries, "--query-interval", str(INTERVAL)]
    return Service(folder, [*options, "--server-networks", "127.0.0.0/8"])


def reads(service):
    """The durations of reads, in microseconds."""
    connection, times = service.connect(), []
    for i in range(READS):
        started = time.perf_counter()
        send(connection, "GET", f"/api/servers/{1 + i % SERVERS}")
        times.append((time.perf_counter() - started) * 1e6)
        # Spread the reads over more than one query interval.
        time.sleep(2 * INTERVAL / READS)
    connection.close()
    return times


def fill(folder, games):
    with start(folder, "off") as service:
        connection = service.connect()
        for i, game in enumerate(games.sockets):
            ip, port = game.getsockname()
            body = {"name": f"Server {i}", "ip": ip, "port": port, "game": "cs2"}
            send(connection, "POST", "/api/servers", {**body, "rcon_password": "x"})
        connection.close()


def first_round(games):
    """Seconds from the first start of the service until every server was queried. Later starts do
    not count: servers that do not answer are queried less and less often."""
    started = time.monotonic()
    while len(games.queried) < SERVERS:
        if time.monotonic() - started > 10 * INTERVAL:
            raise Failed("some servers were never queried")
        time.sleep(0.05)
    return time.monotonic() - started


def measure(say, rounds=ROUNDS):
    """Returns the results as Markdown."""
    games = GameServers()
    times = {"off": [], "on": []}
    slowest, memory = None, []
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, games)
        for number in range(rounds):
            for queries in times:
                say(f"querying game servers, round {number + 1} of {rounds}, {queries}")
                games.queried.clear()
                with start(folder, queries) as service:
                    if queries == "on" and slowest is None:
                        slowest = first_round(games)
                    times[queries].append(reads(service))
                    if queries == "on":
                        memory.append(service.memory_mib())

    def median(queries, share):
        def percentile(of_round):
            return sorted(of_round)[int(len(of_round) * share)]

        return statistics.median(percentile(of_round) for of_round in times[queries])

    lines = [
        f"{SERVERS:,} servers on loopback, half of which never answer, queried every {INTERVAL} "
        "seconds, a third of the default interval.",
        "",
        "| reads of one server, one at a time | queries off | queries on | ratio |",
        "|---|---|---|---|",
    ]
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        off, on = median("off", share), median("on", share)
        lines.append(f"| {name}, microseconds | {off:.0f} | {on:.0f} | {on / off:.2f} |")
    lines += [
        "",
        f"All {SERVERS} servers, {SERVERS // 2} of which never answer, were queried within "
        f"{slowest:.1f} s of the start, {slowest / INTERVAL:.2f} intervals;",
        f"resident memory afterwards: {max(memory):.0f} MiB at most.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print(measure(lambda words: print(words, file=sys.stderr), count))
