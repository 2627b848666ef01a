"""Runs programs under callgrind on a new database, with one client that waits for each reply.

Used by instructions.py, bans.py and difference.py. Listens on 127.0.0.1 only.
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

from harness.processes import KEY, PROGRAMS, ROOT, STEWARD, Failed

# In seconds. Under callgrind everything takes fifty times as long.
TIMEOUT = 120


def request(method, path, body=None, key=KEY):
    """The bytes of a request. One write sends them, so the service never reads only a part."""
    head = f"{method} {path} HTTP/1.1\r\nHost: steward\r\nX-API-Key: {key}\r\n"
    content = b""
    if body is not None:
        content = json.dumps(body).encode()
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


class Service:
    """The published build. Its log is part of the error message if it fails."""

    def __init__(self, folder, url, under=()):
        self.log = folder / "log"
        # One worker, so that requests do not move between threads. Other environment variables are
        # left out, because they can change the counts.
        environment = {
            "PATH": os.environ["PATH"],
            "STEWARD_ADMIN_KEY": KEY,
            "TOKIO_WORKER_THREADS": "1",
        }
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*under, *self.command(folder, url)],
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

    def command(self, folder, url):
        options = ["--listen", "127.0.0.1:0", "--data-dir", folder / "data", "--database-url", url]
        options += ["--log-level", "warn", "--server-query", "off"]
        return [STEWARD, *options, "--wrong-keys-per-minute", "1000000"]

    def connect(self):
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        line = self.process.stdout.readline() if ready else ""
        if "//" not in line:
            raise Failed(f"the service did not start\n{self.log.read_text()}")
        host, port = line.split("//")[1].strip().rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        died = self.process.poll() is not None
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if died or self.process.returncode != 0:
            raise Failed(f"the service died\n{self.log.read_text()}")

    def send(self, data, status):
        """Sends one request and returns the body of the reply."""
        self.socket.sendall(data)
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += self.receive()
        head, body = reply.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += self.receive()
        if int(head.split()[1]) != status:
            line = data.split(b"\r\n")[0].decode()
            raise Failed(f"{line}: expected {status}, received\n{(head + body).decode()}")
        return body

    def receive(self):
        try:
            part = self.socket.recv(1 << 16)
        except OSError as error:
            raise Failed(f"the service does not answer: {error}") from error
        if not part:
            raise Failed("the service closed the connection")
        return part


class CallgrindService(Service):
    """The service under callgrind."""

    # A path that it answers with 200.
    READY = "/api/status"

    def __init__(self, folder, url):
        self.out = folder / "callgrind"
        # A unique prefix: other processes may run valgrind at the same time.
        self.line = f"--vgdb-prefix={folder}/vgdb"
        self.dumps = 0
        self.idle = 0
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.out}", self.line]
        super().__init__(folder, url, valgrind)

    def dump(self):
        """The instructions since the last dump, and the callgrind file that breaks them down."""
        # Wait for work that the service does after the reply: it belongs to the request.
        time.sleep(0.1)
        command = ["vgdb", self.line, f"--pid={self.process.pid}", "dump"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
        except subprocess.SubprocessError as error:
            raise Failed(f"vgdb cannot reach callgrind: {error}") from error
        self.dumps += 1
        file = pathlib.Path(f"{self.out}.{self.dumps}")
        return int(re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE)[1]), file

    def measure_idle(self):
        """Measures the instructions per second of the idle service."""
        # Exclude work left from the start.
        self.send(request("GET", self.READY), 200)
        time.sleep(1)
        self.dump()
        rates = []
        for _ in range(5):
            started = time.monotonic()
            time.sleep(1)
            count, _ = self.dump()
            rates.append(count / (time.monotonic() - started))
        # A background job makes one second an outlier; the median ignores it.
        self.idle = statistics.median(rates)

    def count(self, requests, status):
        """The mean instructions of these requests, and their callgrind file."""
        started = time.monotonic()
        for data in requests:
            self.send(data, status)
        count, file = self.dump()
        idle = self.idle * (time.monotonic() - started)
        return (count - idle) / len(requests), file


class CallgrindByHand(CallgrindService):
    """The program by hand under callgrind."""

    READY = "/api/users/1"

    def command(self, folder, url):
        return [PROGRAMS / "bench-by-hand", url]


@contextlib.contextmanager
def database(engine, folder):
    """The URL of a new database, which exists as long as this context."""
    if engine == "SQLite":
        yield f"sqlite:{folder}/steward.db"
        return
    # The server stops when its command ends, and `cat` ends when its input is closed.
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
            raise Failed("PostgreSQL did not start; scripts/setup bench installs it")
        yield url
    finally:
        holder.stdin.close()
        holder.wait(TIMEOUT)


@contextlib.contextmanager
def under_callgrind(engine, fill, program=CallgrindService):
    """A program under callgrind on a database filled by `fill`, which runs without callgrind because
    that is faster."""
    if not shutil.which("valgrind") or not shutil.which("vgdb"):
        raise Failed("valgrind is missing; scripts/setup bench installs it")
    with tempfile.TemporaryDirectory(prefix="steward-bench.") as name:
        folder = pathlib.Path(name)
        with database(engine, folder) as url:
            with Service(folder, url) as service:
                fill(service)
            with program(folder, url) as running:
                running.measure_idle()
                yield running
