"""The databases to measure. `steward demo` fills them; a kept one is reused."""

import dataclasses
import shutil
import subprocess
import sys
import time

from .postgres import Cluster
from .processes import STEWARD, Service, run

SEED = 1
# All data are older than this day, so that they do not depend on the current day.
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

    def data_dir(self, size):
        return self.folder / f"sqlite-{size}"

    def options(self, _):
        return ()

    def url(self, size):
        return f"sqlite:{self.data_dir(size)}/steward.db"

    def drop(self, size):
        shutil.rmtree(self.data_dir(size), ignore_errors=True)

    def create(self, size):
        self.data_dir(size).mkdir(parents=True)

    def checkpoint(self):
        """Does nothing: SQLite needs no checkpoint after a fill."""

    def version(self, size):
        folder = self.data_dir(size)
        out = run([STEWARD, "check", "--data-dir", folder], stdout=subprocess.PIPE, cwd=folder)
        return "SQLite " + out.split("(SQLite ")[1].split(")")[0]

    def stop(self):
        """Does nothing: there is no server."""


class Postgres:
    name = "postgres"
    title = "PostgreSQL"

    def __init__(self, folder):
        self.folder = folder
        self.cluster = Cluster(folder / "postgres")

    def data_dir(self, size):
        return self.folder / f"postgres-{size}"

    def options(self, size):
        return ("--database-url", self.url(size))

    def url(self, size):
        return self.cluster.url(self.database(size))

    def database(self, size):
        return f"steward_{size.users}_{size.invoices}"

    def drop(self, size):
        shutil.rmtree(self.data_dir(size), ignore_errors=True)
        self.cluster.sql(f"DROP DATABASE IF EXISTS {self.database(size)}")

    def create(self, size):
        self.data_dir(size).mkdir(parents=True)
        self.cluster.sql(f"CREATE DATABASE {self.database(size)}")

    def checkpoint(self):
        """Finishes pending writes now, so that they do not disturb a measurement."""
        self.cluster.sql("CHECKPOINT")

    def version(self, _):
        return "PostgreSQL " + self.cluster.sql("SHOW server_version").split()[0]

    def stop(self):
        self.cluster.stop()


ENGINES = {"sqlite": Sqlite, "postgres": Postgres}


def fill(engine, size, say):
    """Fills the database of this size, unless it is already filled."""
    filled = engine.data_dir(size) / "filled"
    if filled.exists():
        return
    say(f"{engine.title}: filling a database with {size.title}")
    engine.drop(size)
    engine.create(size)
    started = time.monotonic()
    counts = ["--users", size.users, "--invoices", size.invoices, "--seed", SEED, "--until", UNTIL]
    where = ["--data-dir", engine.data_dir(size), *engine.options(size)]
    run([STEWARD, "demo", *counts, *where], stdout=sys.stderr, cwd=engine.data_dir(size))
    engine.checkpoint()
    filled.write_text("by steward demo\n")
    say(f"{engine.title}: filled in {time.monotonic() - started:.0f} s")


def serve(engine, size):
    """Starts the service on the database of this size."""
    return Service(engine.data_dir(size), ("--server-query", "off", *engine.options(size)))
