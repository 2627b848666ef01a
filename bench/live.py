"""What asking 1,000 game servers costs those who only read.

Starts the release build with 1,000 servers, half of which never answer, and
measures reads with asking switched on and off, in turn. Prints a table in
Markdown. Everything stays on 127.0.0.x.

usage: python3 bench/live.py [ROUNDS, 5 unless said otherwise]
"""

import http.client
import json
import os
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SERVERS = 1000
INTERVAL = 10
READS = 3000
KEY = "a-key-for-measuring-only"
PROGRAM = pathlib.Path(__file__).parent.parent / "target/release/steward"

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


class Service:
    def __init__(self, folder, asking):
        self.process = subprocess.Popen(
            [PROGRAM, "--listen", "127.0.0.1:0", "--data-dir", folder, "--log-level", "warn"]
            + ["--server-query", asking, "--query-interval", str(INTERVAL)]
            + ["--server-networks", "127.0.0.0/8"],
            env={**os.environ, "STEWARD_ADMIN_KEY": KEY},
            stdout=subprocess.PIPE,
            text=True,
        )
        address = self.process.stdout.readline().split("//")[1].strip()
        self.connection = http.client.HTTPConnection(address)

    def call(self, method, path, body=None):
        headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
        body = None if body is None else json.dumps(body)
        self.connection.request(method, path, body, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status < 300, text
        return json.loads(text)

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def measured(self):
        """The times of reads, in microseconds."""
        times = []
        for i in range(READS):
            started = time.perf_counter()
            self.call("GET", f"/api/servers/{1 + i % SERVERS}")
            times.append((time.perf_counter() - started) * 1e6)
            # Spread over more than one round of questions.
            time.sleep(2 * INTERVAL / READS)
        return times

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0


def fill(folder, games):
    service = Service(folder, "off")
    for i, game in enumerate(games.sockets):
        ip, port = game.getsockname()
        body = {"name": f"Server {i}", "ip": ip, "port": port, "game": "cs2", "rcon_password": "x"}
        service.call("POST", "/api/servers", body)
    service.stop()


def whole_round(games):
    """How long until everybody was asked, from the first start of the service on. Later on silent
    servers are asked less and less often."""
    started = time.monotonic()
    while len(games.asked) < SERVERS:
        assert time.monotonic() - started < 10 * INTERVAL, "not everybody was asked"
        time.sleep(0.05)
    return time.monotonic() - started


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    games = GameServers()
    figures = {"off": [], "on": []}
    slowest, memory = None, []
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, games)
        for number in range(rounds):
            for asking in ("off", "on"):
                print(f"round {number + 1} of {rounds}, asking {asking}", file=sys.stderr)
                games.asked.clear()
                service = Service(folder, asking)
                if asking == "on" and slowest is None:
                    slowest = whole_round(games)
                figures[asking].append(service.measured())
                if asking == "on":
                    memory.append(service.resident_mib())
                service.stop()

    def median(asking, share):
        def percentile(times):
            return sorted(times)[int(len(times) * share)]

        return statistics.median(percentile(times) for times in figures[asking])

    print("| reads of one server, one at a time | asking off | asking on | ratio |")
    print("|---|---|---|---|")
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        off, on = median("off", share), median("on", share)
        print(f"| {name}, microseconds | {off:.0f} | {on:.0f} | {on / off:.2f} |")
    print(f"\nAll {SERVERS} servers, {SERVERS // 2} of them silent, were asked within "
          f"{slowest:.1f} s of the start, {slowest / INTERVAL:.2f} intervals; "
          f"resident memory afterwards: {max(memory):.0f} MiB at most.")


main()
