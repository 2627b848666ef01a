"""What asking 1,000 game servers costs those who only read.

Starts the release build with 1,000 servers, half of which never answer, and
measures reads with asking switched on and off, in turn. Prints a table in
Markdown. Everything stays on 127.0.0.x.

usage: python3 bench/live.py [ROUNDS, 2 unless said otherwise]
"""

import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time

from harness.processes import Failed, Service, ask

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
NOBODY = b"\xff\xff\xff\xffD\0"


class GameServers:
    """Half of them answer; all of them notice who asks."""

    def __init__(self):
        self.sockets = []
        self.selector = selectors.DefaultSelector()
        for i in range(SERVERS):
            game = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            game.bind((f"127.0.0.{2 + i % 200}", 0))
            game.setblocking(False)
            self.selector.register(game, selectors.EVENT_READ, i)
            self.sockets.append(game)
        self.asked = set()
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            for key, _ in self.selector.select():
                question, caller = key.fileobj.recvfrom(2048)
                self.asked.add(key.data)
                if key.data % 2 == 0:
                    reply = INFO if question[4:5] == b"T" else NOBODY
                    key.fileobj.sendto(reply, caller)


def start(folder, asking):
    options = ["--server-query", asking, "--query-interval", str(INTERVAL)]
    return Service(folder, [*options, "--server-networks", "127.0.0.0/8"])


def reads(service):
    """The times of reads, in microseconds."""
    connection, times = service.connect(), []
    for i in range(READS):
        started = time.perf_counter()
        ask(connection, "GET", f"/api/servers/{1 + i % SERVERS}")
        times.append((time.perf_counter() - started) * 1e6)
        # Spread over more than one round of questions.
        time.sleep(2 * INTERVAL / READS)
    connection.close()
    return times


def fill(folder, games):
    with start(folder, "off") as service:
        connection = service.connect()
        for i, game in enumerate(games.sockets):
            ip, port = game.getsockname()
            body = {"name": f"Server {i}", "ip": ip, "port": port, "game": "cs2"}
            ask(connection, "POST", "/api/servers", {**body, "rcon_password": "x"})
        connection.close()


def whole_round(games):
    """How long until everybody was asked, from the first start of the service on. Later on silent
    servers are asked less and less often."""
    started = time.monotonic()
    while len(games.asked) < SERVERS:
        if time.monotonic() - started > 10 * INTERVAL:
            raise Failed("not everybody was asked")
        time.sleep(0.05)
    return time.monotonic() - started


def measure(say, rounds=ROUNDS):
    """The table, in Markdown, and what else was seen."""
    games = GameServers()
    figures = {"off": [], "on": []}
    slowest, memory = None, []
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, games)
        for number in range(rounds):
            for asking in figures:
                say(f"asking game servers, round {number + 1} of {rounds}, {asking}")
                games.asked.clear()
                with start(folder, asking) as service:
                    if asking == "on" and slowest is None:
                        slowest = whole_round(games)
                    figures[asking].append(reads(service))
                    if asking == "on":
                        memory.append(service.memory_mib())

    def median(asking, share):
        def percentile(times):
            return sorted(times)[int(len(times) * share)]

        return statistics.median(percentile(times) for times in figures[asking])

    lines = [
        f"{SERVERS:,} servers on loopback, half of them silent, asked every {INTERVAL} seconds, a "
        "third of the usual interval.",
        "",
        "| reads of one server, one at a time | asking off | asking on | ratio |",
        "|---|---|---|---|",
    ]
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        off, on = median("off", share), median("on", share)
        lines.append(f"| {name}, microseconds | {off:.0f} | {on:.0f} | {on / off:.2f} |")
    lines += [
        "",
        f"All {SERVERS} servers, {SERVERS // 2} of them silent, were asked within {slowest:.1f} s of "
        f"the start, {slowest / INTERVAL:.2f} intervals; resident memory afterwards: "
        f"{max(memory):.0f} MiB at most.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print(measure(lambda words: print(words, file=sys.stderr), count))
