"""Measures a copy from SQLite to PostgreSQL and back, and compares both ends.

Fills a SQLite database (a kept one is used again), copies it to an empty PostgreSQL
database with durable commits, copies that to a new SQLite file, and compares the
first file with the last, table by table and row by row, with Python's own SQLite.
Prints a table in Markdown and fails if anything differs. Uses 127.0.0.1 only.

usage: python3 bench/copy_database.py FOLDER [USERS INVOICES]
       (default 1000000 users and 5000000 invoices)
"""

import pathlib
import sqlite3
import sys
import time

from harness import data
from harness.processes import STEWARD, Failed, run

DATABASE = "steward_copied"

# Statistics of the query planner, and counters by which instances notice changes.
NOT_COMPARED = ("changes", "instances", "schema_migrations", "sqlite_stat1")

# Each copy adds its own audit entry.
OWN_ENTRIES = {"audit_log": "action <> 'backups.restore'", "sqlite_sequence": "name <> 'audit_log'"}


def copy(source, target, key, folder):
    """Returns the duration in seconds."""
    command = [STEWARD, "copy", "--from", source, "--to", target, "--secret-key-file", key]
    started = time.monotonic()
    run(command, stdout=sys.stderr, cwd=folder)
    return time.monotonic() - started


def compare(first, second):
    """Returns the numbers of equal tables and rows. Fails if a row is in one database only."""
    db = sqlite3.connect(f"file:{first}?mode=ro", uri=True)
    db.execute("ATTACH ? AS other", (f"file:{second}?mode=ro",))
    # The search index is derived from the users, and `steward copy` checks it.
    named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'user_search%'"
    tables = [name for (name,) in db.execute(named) if name not in NOT_COMPARED]
    rows = 0
    for table in tables:
        columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")]
        # Derived tables keep rows with a count of 0.
        kept = "count <> 0" if "count" in columns else OWN_ENTRIES.get(table, "TRUE")
        counts = set()
        for one, other in (("main", "other"), ("other", "main")):
            only = f"SELECT * FROM {one}.{table} WHERE {kept} EXCEPT SELECT * FROM {other}.{table}"
            (different,) = db.execute(f"SELECT count(*) FROM ({only})").fetchone()
            if different:
                raise Failed(f"{different} rows of {table} are in one database only")
            counts |= set(db.execute(f"SELECT count(*) FROM {one}.{table} WHERE {kept}"))
        if len(counts) != 1:
            raise Failed(f"{table} has different numbers of rows: {counts}")
        rows += counts.pop()[0]
    return len(tables), rows


def main():
    folder, *numbers = sys.argv[1:] or [""]
    if not folder or len(numbers) not in (0, 2):
        sys.exit(__doc__)
    folder = pathlib.Path(folder).absolute()
    size = data.Size(*(int(number) for number in numbers or (1_000_000, 5_000_000)))
    sqlite, postgres = (kind(folder) for kind in data.ENGINES.values())
    last = folder / "copied.db"
    try:
        data.fill(sqlite, size, lambda text: print(text, file=sys.stderr))
        for kind in ("", "-wal", "-shm"):
            pathlib.Path(f"{last}{kind}").unlink(missing_ok=True)
        postgres.cluster.sql(f"DROP DATABASE IF EXISTS {DATABASE}")
        postgres.cluster.sql(f"CREATE DATABASE {DATABASE}")
        first = sqlite.data_dir(size) / "steward.db"
        key = sqlite.data_dir(size) / "secret.key"
        between = postgres.cluster.url(DATABASE)
        there = copy(f"sqlite:{first}", between, key, folder)
        back = copy(between, f"sqlite:{last}", key, folder)
        tables, rows = compare(first, last)
    except Failed as error:
        sys.exit(f"copy: {error}")
    finally:
        postgres.stop()
    print(f"\n| {size.title}, {rows:,} rows in {tables} tables | seconds | rows a second |")
    print("|---|---|---|")
    print(f"| SQLite to PostgreSQL | {there:.0f} | {rows / there:,.0f} |")
    print(f"| PostgreSQL to SQLite | {back:.0f} | {rows / back:,.0f} |")


if __name__ == "__main__":
    main()
