"""The service under callgrind, on a database of its own, with one client that waits for each reply.

Only for bench/instructions.py. Everything stays on 127.0.0.1.
"""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from harness.processes import KEY, RELEASE, ROOT

PROGRAM = RELEASE / "steward"
# Seconds; under callgrind everything takes fifty times as long.
PATIENCE = 120


class Trouble(Exception):
    """What the person at the terminal is told."""


def request(method, path, body=None, key=KEY):
    """All in one piece, so that the service never reads half of it."""
    head = f"{method} {path} HTTP/1.1\r\nHost: steward\r\nX-API-Key: {key}\r\n"
    content = b""
    if body is not None:
        content = json.dumps(body).encode()
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


class Service:
    """The release build; what it writes to its log is told when it fails."""

    def __init__(self, folder, url, under=()):
        self.log = folder / "log"
        options = ["--listen", "127.0.0.1:0", "--data-dir", folder / "data", "--database-url", url]
        options += ["--log-level", "warn", "--server-query", "off"]
        # One worker, so that requests do not wander between threads. The rest of the environment
        # stays out: it takes part in what a program does.
        environment = {
            "PATH": os.environ["PATH"],
            "STEWARD_ADMIN_KEY": KEY,
            "TOKIO_WORKER_THREADS": "1",
        }
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*under, PROGRAM, *options],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        try:
            self.socket = self.connect()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def connect(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        if "//" not in line:
            raise Trouble(f"the service did not start\n{self.log.read_text()}")
        host, port = line.split("//")[1].strip().rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        died = self.process.poll() is not None
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if died or self.process.returncode != 0:
            raise Trouble(f"the service died\n{self.log.read_text()}")

    def send(self, data, status):
        """One request over the one connection; gives the body of the reply."""
        self.socket.sendall(data)
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += self.receive()
        head, body = reply.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += self.receive()
        if int(head.split()[1]) != status:
            asked = data.split(b"\r\n")[0].decode()
            raise Trouble(f"{asked}: not {status}, but\n{(head + body).decode()}")
        return body

    def receive(self):
        try:
            part = self.socket.recv(1 << 16)
        except OSError as error:
            raise Trouble(f"the service does not answer: {error}") from error
        if not part:
            raise Trouble("the service hung up")
        return part


class Counted(Service):
    """The same under callgrind."""

    def __init__(self, folder, url):
        self.out = folder / "callgrind"
        # A name of its own: others may run valgrind at the same time.
        self.line = f"--vgdb-prefix={folder}/vgdb"
        self.dumps = 0
        self.idle = 0
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.out}", self.line]
        super().__init__(folder, url, valgrind)

    def dump(self):
        """The instructions since the last dump, and the file that says where they were spent."""
        # What is left to do after a reply belongs to its request.
        time.sleep(0.1)
        command = ["vgdb", self.line, f"--pid={self.process.pid}", "dump"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        except subprocess.SubprocessError as error:
            raise Trouble(f"callgrind does not listen: {error}") from error
        self.dumps += 1
        file = pathlib.Path(f"{self.out}.{self.dumps}")
        return int(re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE)[1]), file

    def rest(self):
        """Learns what it does in a second when nobody asks anything."""
        # First it may have something left to do of its start.
        self.send(request("GET", "/api/status"), 200)
        time.sleep(1)
        self.dump()
        rates = []
        for _ in range(5):
            started = time.monotonic()
            time.sleep(1)
            count, _ = self.dump()
            rates.append(count / (time.monotonic() - started))
        # What is done once in a while stands out, here as in a round of requests.
        self.idle = statistics.median(rates)

    def count(self, requests, status):
        """The instructions of each of these requests, and the file of all."""
        started = time.monotonic()
        for data in requests:
            self.send(data, status)
        count, file = self.dump()
        idle = self.idle * (time.monotonic() - started)
        return (count - idle) / len(requests), file


@contextlib.contextmanager
def database(engine, folder):
    """The address of a new database, which lasts as long as this does."""
    if engine == "SQLite":
        yield f"sqlite:{folder}/steward.db"
        return
    # The server ends with its command, and that when there is nothing more to read.
    command = ["sh", "-c", 'echo "$STEWARD_TEST_POSTGRES"; cat']
    holder = subprocess.Popen(
        [ROOT / "scripts/with-postgres", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = holder.stdout.readline().strip()
        if not url:
            raise Trouble("PostgreSQL did not start; scripts/setup bench installs it")
        yield url
    finally:
        holder.stdin.close()
        holder.wait(PATIENCE)


@contextlib.contextmanager
def counted(engine, fill):
    """The service under callgrind on a database that `fill` filled, which goes faster without."""
    if not shutil.which("valgrind") or not shutil.which("vgdb"):
        raise Trouble("valgrind is missing; scripts/setup bench installs it")
    with tempfile.TemporaryDirectory(prefix="steward-bench.") as name:
        folder = pathlib.Path(name)
        with database(engine, folder) as url:
            with Service(folder, url) as service:
                fill(service)
            with Counted(folder, url) as service:
                service.rest()
                yield service

