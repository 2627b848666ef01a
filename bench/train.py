"""Sends the requests of `make bench` to instrumented builds; `scripts/profile` runs it.

Published builds are optimised with these counts. The bare server and the program by hand are
trained as well, so that the comparison with them is fair. Listens on 127.0.0.1 only.
"""

import os
import pathlib
import tempfile

from harness import data, load
from harness.operations import by_name, get
from harness.processes import Failed, by_hand, limit

SIZE = data.Size(10_000, 10_000)
# A single connection, and enough for writes to share a commit.
CONNECTIONS = (1, 16)
SECONDS, WARM_UP = 0.5, 0.1


def train(engine):
    options = ("--server-query", "off", "--wrong-keys-per-minute", "1000000")
    # Do not profile the fill.
    os.environ["LLVM_PROFILE_FILE"] = os.devnull
    data.fill(engine, SIZE, print)
    del os.environ["LLVM_PROFILE_FILE"]
    with data.Service(engine.data_dir(SIZE), (*options, *engine.options(SIZE))) as service:
        _, known = by_name(service, SIZE)
        for operation in known.values():
            drive(service, operation)
            print(f"{engine.title}: {operation.name}", flush=True)
        load.drive(service, [get("/healthz")], {}, 1, SECONDS, WARM_UP)
        service.credentials = {"X-API-Key": "a wrong key"}
        refused = {**get("/api/roles"), "status": 401}
        load.drive(service, [refused], {}, 1, SECONDS, WARM_UP)
    with by_hand(engine.url(SIZE)) as program:
        for operation in known.values():
            if operation.samples:
                drive(program, operation)


def drive(server, operation):
    for connections in CONNECTIONS:
        values = operation.values(server)
        load.drive(server, operation.requests, values, connections, SECONDS, WARM_UP)


def train_limit():
    """Uses replies of the sizes of one user and of lists."""
    with limit() as server:
        for size in (300, 3_000, 9_000):
            for connections in CONNECTIONS:
                load.drive(server, [get(f"/{size}")], {}, connections, SECONDS, WARM_UP)


def main():
    with tempfile.TemporaryDirectory(prefix="steward-train-") as name:
        folder = pathlib.Path(name)
        # PostgreSQL runs as a different user.
        folder.chmod(0o755)
        for kind in data.ENGINES.values():
            engine = kind(folder)
            try:
                train(engine)
            finally:
                engine.stop()
    train_limit()


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        raise SystemExit(f"train.py: {error}") from None
