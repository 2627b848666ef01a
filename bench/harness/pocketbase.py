"""Runs PocketBase on the data of the service, to compare them.

It listens on 127.0.0.1 and contacts no other machine: it has no update check, its settings have no
mail server and no storage, and without a PATH it finds no local mail program.
"""

import copy
import socket
import sqlite3
import subprocess
import time

from .processes import ROOT, Failed, ListeningProcess, run

PROGRAM = ROOT / "target/peers-python/bin/pocketbase"
HOOKS = ROOT / "bench/pocketbase"
EMAIL, PASSWORD = "bench@example.com", "a-password-for-measuring-only"
# PocketBase's ids have 15 characters. This number plus an id of the service is one.
FIRST_ID = 10**14
NORMAL, FULL = 1, 2
START_SECONDS = 10

# The rule for records of the auth collection. A superuser's requests evaluate no rule.
RULE = '@request.auth.status = "active"'

DATES = [
    {"name": "created", "type": "autodate", "onCreate": True},
    {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True},
]
ROLES = {
    "name": "roles",
    "type": "base",
    "viewRule": RULE,
    "fields": [
        {"name": "name", "type": "text", "required": True, "max": 100},
        {"name": "description", "type": "text", "max": 1000},
        {"name": "color", "type": "text"},
        *DATES,
    ],
}
USERS = {
    "name": "users",
    "type": "auth",
    "viewRule": RULE,
    "fields": [
        {"name": "username", "type": "text", "required": True},
        {"name": "status", "type": "text", "required": True},
        {"name": "roles", "type": "relation", "maxSelect": 100},
        *DATES,
    ],
    # PocketBase adds the indexes of the email address and the token key.
    "indexes": ["CREATE UNIQUE INDEX users_username ON users (username COLLATE NOCASE)"],
}


class PocketBase(ListeningProcess):
    """PocketBase on the data in `folder`, with a superuser's token as credentials."""

    credentials = {}

    def __init__(self, folder, hooks=None):
        if not PROGRAM.exists():
            raise Failed("PocketBase is missing; scripts/setup peers installs it")
        # PocketBase would report port 0 as such, so choose a free port.
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = "%s:%d" % free.getsockname()
        absent = folder / "absent"
        where = ["--dir", folder / "pb_data", "--publicDir", absent, "--migrationsDir", absent]
        fixed = ["--automigrate=false", "--hooksWatch=false", "--hooksDir", hooks or absent]
        super().__init__([PROGRAM, "serve", "--http", address, *where, *fixed], folder)
        try:
            self._wait_until_ready()
            self._sign_in()
        except BaseException:
            self.stop()
            raise

    def environment(self):
        return {}

    def _wait_until_ready(self):
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.get("/api/health")
            except OSError as error:
                if time.monotonic() > until or not self.alive():
                    raise Failed(f"PocketBase does not answer: {error}") from None
                time.sleep(0.05)

    def _sign_in(self):
        path = "/api/collections/_superusers/auth-with-password"
        reply, _ = self.send("POST", path, {"identity": EMAIL, "password": PASSWORD})
        self.credentials = {"Authorization": reply["token"]}

    def as_user(self, user):
        """The same process, with a user's token as credentials."""
        path = f"/api/collections/users/impersonate/{user}"
        reply, _ = self.send("POST", path, {"duration": 24 * 3600})
        other = copy.copy(self)
        other.credentials = {"Authorization": reply["token"]}
        return other

    def synchronous(self):
        """The setting of the connection that writes, which only the hooks can read."""
        return self.get("/synchronous")[0]["synchronous"]

    def make_durable(self):
        """Makes PocketBase answer a create only after its commit is on disk."""
        self.send("PUT", "/synchronous/full")
        if self.synchronous() != FULL:
            raise Failed("PocketBase did not accept synchronous=FULL")


def version():
    return run([PROGRAM, "--version"], stdout=subprocess.PIPE).split()[-1]


def create(folder, database):
    """Creates the collections of an instance, and fills them from the service's SQLite database.
    Its API would take an hour, so the rows are inserted into its database."""
    folder.mkdir(parents=True)
    data = folder / "pb_data"
    run(
        [PROGRAM, "superuser", "upsert", EMAIL, PASSWORD, "--dir", data],
        stdout=subprocess.DEVNULL,
        cwd=folder,
    )
    with PocketBase(folder) as server:
        # Off, because it would be written to a second database; the service logs to /dev/null.
        server.send("PATCH", "/api/settings", {"logs": {"maxDays": 0}})
        server.send("DELETE", "/api/collections/users")
        roles, _ = server.send("POST", "/api/collections", ROLES)
        fields = [
            {**field, "collectionId": roles["id"]} if field["name"] == "roles" else field
            for field in USERS["fields"]
        ]
        server.send("POST", "/api/collections", {**USERS, "fields": fields})
    fill(data / "data.db", database)


def fill(target, source):
    def moment(column):
        return f"strftime('%Y-%m-%d %H:%M:%S.000Z', {column}, 'unixepoch')"

    held = (
        f"SELECT json_group_array(CAST({FIRST_ID} + role_id AS TEXT)) "
        "FROM service.user_roles WHERE user_id = users.id"
    )
    rows = sqlite3.connect(target)
    rows.execute("ATTACH ? AS service", [str(source)])
    with rows:
        rows.execute(
            "INSERT INTO main.roles (id, name, description, color, created, updated) "
            f"SELECT {FIRST_ID} + id, name, description, color, {moment(0)}, {moment(0)} "
            "FROM service.roles ORDER BY id"
        )
        rows.execute(
            "INSERT INTO main.users (id, username, email, status, password, tokenKey, verified, "
            "emailVisibility, roles, created, updated) "
            f"SELECT {FIRST_ID} + id, username, email, status, password_hash, "
            f"hex(randomblob(25)), TRUE, FALSE, ({held}), {moment('created_at')}, "
            f"{moment('updated_at')} FROM service.users AS users ORDER BY id"
        )
    rows.execute("ANALYZE main")
    rows.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    rows.close()
