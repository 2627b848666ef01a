"""Starts and stops the programs to measure, sends requests, and reads their processor time and
memory."""

import http.client
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# The folder that `build` writes to. `scripts/profile` sets a different one.
PROGRAMS = pathlib.Path(os.environ.get("BENCH_PROGRAMS", TARGET / "published"))
STEWARD = PROGRAMS / "steward"
KEY = "a-key-for-measuring-only"
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A measurement that failed, with a message for the user."""


def environment():
    """The caller's environment without the service's options, which could change the results."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STEWARD_")}
    return {**kept, "STEWARD_ADMIN_KEY": KEY}


def run(command, **options):
    """Runs a command and returns its output. If it fails, its output is part of the error."""
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, env=environment(), **options)
    if done.returncode != 0:
        output = (done.stderr or done.stdout or "").strip()
        raise Failed(f"{' '.join(command)} ended with code {done.returncode}. {output}")
    return done.stdout


def build():
    """Builds the programs to measure, with the flags of published builds."""
    command = ["cargo", "build", "--release", "--locked", "-p", "steward", "-p", "steward-bench"]
    run([ROOT / "scripts/with-release-flags", *command], cwd=ROOT)


class ListeningProcess:
    """A process whose first line of output is the address it listens on. Its log is discarded."""

    # The headers that authenticate a request.
    credentials = {"X-API-Key": KEY}

    def __init__(self, command, folder=None):
        self.command = [str(word) for word in command]
        self.folder = folder
        self.process = self._spawn(subprocess.DEVNULL)
        line = self.process.stdout.readline()
        if "//" not in line:
            raise Failed(f"{self.command[0]} did not start: {self._reason()}")
        self.address = line.split("//")[1].strip()

    def environment(self):
        return environment()

    def _spawn(self, log):
        return subprocess.Popen(
            self.command,
            env=self.environment(),
            # Do not read a steward.toml in the caller's working directory.
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def _reason(self):
        """Starts the program again to read its log, which was discarded the first time."""
        self.process.kill()
        self.process.wait()
        again = self._spawn(subprocess.PIPE)
        try:
            return again.communicate(timeout=10)[1].strip()
        except subprocess.TimeoutExpired:
            again.kill()
            again.communicate()
            return "it logged no reason"

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=120)

    def get(self, path):
        """Returns the body and the headers of the answer."""
        return self.send("GET", path)

    def send(self, method, path, body=None):
        """Sends one request on its own connection."""
        connection = self.connect()
        try:
            return send(connection, method, path, body, self.credentials)
        finally:
            connection.close()

    def alive(self):
        return self.process.poll() is None

    def memory_mib(self, kind="VmRSS"):
        """The resident memory, or with `VmHWM` its peak."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(kind))
        return int(line.split()[1]) / 1024

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def stop(self):
        if self.alive():
            self.process.terminate()
        try:
            code = self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed(f"{self.command[0]} did not stop after SIGTERM") from None
        finally:
            self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Service(ListeningProcess):
    """The published build with its default log level. It queries no game servers unless `options`
    enable that."""

    def __init__(self, folder, options=("--server-query", "off")):
        command = [STEWARD, "--listen", "127.0.0.1:0", "--data-dir", folder, *options]
        super().__init__(command, folder)


def limit():
    return ListeningProcess([PROGRAMS / "bench-limit"])


def by_hand(url):
    return ListeningProcess([PROGRAMS / "bench-by-hand", url])


def one_at_a_time(folder):
    return ListeningProcess([PROGRAMS / "bench-one-at-a-time", folder], folder)


def send(connection, method, path, body=None, credentials=ListeningProcess.credentials):
    headers = dict(credentials)
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read()
    if reply.status >= 300:
        raise Failed(f"{method} {path} was answered with {reply.status}: {text[:300].decode()}")
    return json.loads(text) if text else None, reply.headers


def cpu_seconds(pid, children=False):
    """The processor time of a process, optionally with that of its ended children."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    fields = stat.rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11 : 15 if children else 13]) / TICKS
