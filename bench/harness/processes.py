"""The programs that are measured: starting, asking, stopping them, and what they use."""

import http.client
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
STEWARD = RELEASE / "steward"
KEY = "a-key-for-measuring-only"
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """What could not be measured, and why, in a sentence for people."""


def environment():
    """That of the caller, without options of the service that would change what is measured."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STEWARD_")}
    return {**kept, "STEWARD_ADMIN_KEY": KEY}


def run(command, **options):
    """Runs a command to its end; what it says on failure is part of the error."""
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, env=environment(), **options)
    if done.returncode != 0:
        said = (done.stderr or done.stdout or "").strip()
        raise Failed(f"{' '.join(command)} ended with code {done.returncode}. {said}")
    return done.stdout


class Listening:
    """A process whose first line says where it listens. Its log goes to /dev/null."""

    def __init__(self, command, folder=None):
        self.command = [str(word) for word in command]
        self.folder = folder
        self.process = self._spawn(subprocess.DEVNULL)
        line = self.process.stdout.readline()
        if "//" not in line:
            raise Failed(f"{self.command[0]} did not start: {self._reason()}")
        self.address = line.split("//")[1].strip()

    def _spawn(self, log):
        return subprocess.Popen(
            self.command,
            env=environment(),
            # A steward.toml where the caller happens to be is not meant.
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def _reason(self):
        """Since the log was thrown away, starts once more to hear it."""
        self.process.kill()
        self.process.wait()
        again = self._spawn(subprocess.PIPE)
        try:
            return again.communicate(timeout=10)[1].strip()
        except subprocess.TimeoutExpired:
            again.kill()
            again.communicate()
            return "it does not say why"

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=120)

    def get(self, path):
        """The body and the headers of what is there."""
        connection = self.connect()
        try:
            return ask(connection, "GET", path)
        finally:
            connection.close()

    def alive(self):
        return self.process.poll() is None

    def memory_mib(self, kind="VmRSS"):
        """Resident memory: now, or with `VmHWM` at its highest."""
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
            raise Failed(f"{self.command[0]} did not stop when told to") from None
        finally:
            self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Service(Listening):
    """The release build, logging as it does by default, which does not ask game servers unless
    told so."""

    def __init__(self, folder, options=("--server-query", "off")):
        command = [STEWARD, "--listen", "127.0.0.1:0", "--data-dir", folder, *options]
        super().__init__(command, folder)


def limit():
    return Listening([RELEASE / "bench-limit"])


def one_at_a_time(folder):
    return Listening([RELEASE / "bench-one-at-a-time", folder], folder)


def ask(connection, method, path, body=None):
    headers = {"X-API-Key": KEY}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read()
    if reply.status >= 300:
        raise Failed(f"{method} {path} was answered with {reply.status}: {text[:300].decode()}")
    return json.loads(text), reply.headers


def cpu_seconds(pid, children=False):
    """The processor time of a process, and of its children that have ended."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    fields = stat.rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11 : 15 if children else 13]) / TICKS
