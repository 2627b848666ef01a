"""The engines, with one database of a name, for programs that fill it by SQL."""

import os
import shutil
import sqlite3

from .postgres import Cluster
from .processes import Service


class Sqlite:
    title = "SQLite"
    key = "sqlite"

    def __init__(self, folder, name):
        self.folder = folder / f"{name}-sqlite"

    def create(self):
        """An empty folder and database, in place of an earlier one."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def options(self):
        return ()

    def url(self):
        return f"sqlite:{self.folder}/steward.db"

    def run(self, statements):
        database = sqlite3.connect(self.folder / "steward.db")
        with database:
            for statement in statements:
                database.execute(statement)
        database.close()

    def value(self, query):
        """The first value of a query."""
        database = sqlite3.connect(self.folder / "steward.db", timeout=30)
        row = database.execute(query).fetchone()
        database.close()
        return row[0]

    def numbers(self, count):
        return (
            "(WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted "
            f"WHERE n < {count}) SELECT n FROM counted) AS numbers"
        )

    def stop(self):
        """Does nothing: there is no server."""


class Postgres:
    title = "PostgreSQL"
    key = "postgres"

    def __init__(self, folder, name):
        self.name = name
        self.folder = folder / f"{name}-postgres"
        self.cluster = Cluster(folder / "postgres")

    def create(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.cluster.sql(f"DROP DATABASE IF EXISTS {self.name}")
        self.cluster.sql(f"CREATE DATABASE {self.name}")

    def options(self):
        return ("--database-url", self.url())

    def url(self):
        return self.cluster.url(self.name)

    def run(self, statements):
        for statement in [*statements, "ANALYZE", "CHECKPOINT"]:
            self.cluster.sql(statement, self.name)

    def value(self, query):
        found = self.cluster.sql(query, self.name)
        return int(found) if found else None

    def numbers(self, count):
        return f"generate_series(1::bigint, {count}) AS numbers (n)"

    def stop(self):
        self.cluster.stop()


ENGINES = {engine.key: engine for engine in (Sqlite, Postgres)}


def serve(engine, *options, server_query="off"):
    return Service(engine.folder, ("--server-query", server_query, *options, *engine.options()))


def create_schema(engine):
    """A new database without data, as the first start leaves it."""
    engine.create()
    with serve(engine):
        pass


def load_average():
    """For the report: other load changes times, but not counts of instructions."""
    return f"load average {os.getloadavg()[0]:.1f}"
