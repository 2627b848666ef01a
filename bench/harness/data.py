"""The databases to measure: filled once by `steward demo`, and found again when they are kept."""

import dataclasses
import shutil
import subprocess
import sys
import time

from .postgres import Cluster
from .processes import STEWARD, Service, run

SEED = 1
# All data are from before this day; otherwise they would differ from one day to the next.
UNTIL = "2026-11-01"


@dataclasses.dataclass(frozen=True)
class Size:
    users: int
    invoices: int

    def __str__(self):
        return f"{self.users}-{self.invoices}"

    @property
    def title(self):
        return f"{self.users:,} users and {self.invoices:,} invoices"


class Sqlite:
    name = "sqlite"
    title = "SQLite"
    cluster = None

    def __init__(self, folder):
        self.folder = folder

    def place(self, size):
        return self.folder / f"sqlite-{size}"

    def options(self, _):
        return ()

    def forget(self, size):
        shutil.rmtree(self.place(size), ignore_errors=True)

    def create(self, size):
        self.place(size).mkdir(parents=True)

    def settle(self):
        """Nothing is left to be done after a fill."""

    def version(self, size):
        place = self.place(size)
        said = run([STEWARD, "check", "--data-dir", place], stdout=subprocess.PIPE, cwd=place)
        return "SQLite " + said.split("(SQLite ")[1].split(")")[0]

    def stop(self):
        """There is no server."""


class Postgres:
    name = "postgres"
    title = "PostgreSQL"

    def __init__(self, folder):
        self.folder = folder
        self.cluster = Cluster(folder / "postgres")

    def place(self, size):
        return self.folder / f"postgres-{size}"

    def options(self, size):
        return ("--database-url", self.cluster.url(self.database(size)))

    def database(self, size):
        return f"steward_{size.users}_{size.invoices}"

    def forget(self, size):
        shutil.rmtree(self.place(size), ignore_errors=True)
        self.cluster.sql(f"DROP DATABASE IF EXISTS {self.database(size)}")

    def create(self, size):
        self.place(size).mkdir(parents=True)
        self.cluster.sql(f"CREATE DATABASE {self.database(size)}")

    def settle(self):
        """So that what was written is not still being written while others are measured."""
        self.cluster.sql("CHECKPOINT")

    def version(self, _):
        return "PostgreSQL " + self.cluster.sql("SHOW server_version").split()[0]

    def stop(self):
        self.cluster.stop()


ENGINES = {"sqlite": Sqlite, "postgres": Postgres}


def fill(engine, size, say):
    """Makes sure that the database of this size is there."""
    filled = engine.place(size) / "filled"
    if filled.exists():
        return
    say(f"{engine.title}: filling a database with {size.title}")
    engine.forget(size)
    engine.create(size)
    started = time.monotonic()
    counts = ["--users", size.users, "--invoices", size.invoices, "--seed", SEED, "--until", UNTIL]
    where = ["--data-dir", engine.place(size), *engine.options(size)]
    run([STEWARD, "demo", *counts, *where], stdout=sys.stderr, cwd=engine.place(size))
    engine.settle()
    filled.write_text("by steward demo\n")
    say(f"{engine.title}: filled in {time.monotonic() - started:.0f} s")


def serve(engine, size):
    """Starts the service on the database of this size."""
    return Service(engine.place(size), ("--server-query", "off", *engine.options(size)))
