"""Measures imports of bans, and checks of players against them.

Imports bans from dumps of SourceBans, CS2-SimpleAdmin and IksAdmin, each into a new
database. On that of SourceBans, whose ranges of addresses have 40 lengths, it checks
players over 32 connections, beside 100 new bans a second; half of the players are banned.
Service time is from the head of a request to its response, as /metrics has it. Then it
bans players one after the other and measures when the console of a game server is told to
kick them. Then it counts the instructions of a check and of reading one user under
callgrind, also with a hundredth of the bans, and of a check on an address whose network has
ranges of 24 lengths, which is rare. Prints tables in Markdown, and fails if a bound below
is exceeded. Uses 127.0.0.1 only.

usage: python3 bench/bans.py FOLDER [BANS] [sqlite|postgres] [--only import|check|kick|count]
       (default 1000000 bans, sqlite)
"""

import argparse
import ipaddress
import itertools
import json
import os
import pathlib
import queue
import shutil
import socketserver
import statistics
import struct
import subprocess
import sys
import threading
import time

import instructions
from callgrind import CallgrindService, request
from harness.engines import ENGINES, create_schema, load_average, serve
from harness.load import drive, unused_number
from harness.operations import create, get
from harness.processes import STEWARD, Failed, environment, send

# For an import of a million bans.
MOST_SECONDS, MOST_MIB = 60, 100
MOST_SERVICE_MILLISECONDS = 1
# From the reply to a ban to the command in the console of the server.
MOST_SECONDS_TO_KICK = 1
# The instructions of a check, compared with those of reading a user and with those among fewer
# bans.
MOST_TO_READ, MOST_GROWTH = 1.3, 1.3
FEWER = 100

CONNECTIONS = 32
SECONDS = 20
WARM_UP_SECONDS = 2
BANS_PER_SECOND = 100
KICKS = 100
# Checks a second in one of the rounds. In the other there are as many as the service answers.
RATE = 1_000

FIRST_STEAM_ID = instructions.FIRST_STEAM_ID
# New bans are of accounts that no dump has.
NEW_STEAM_ID = FIRST_STEAM_ID + 3_000_000_000
# One of so many bans is by address alone.
BY_ADDRESS = 10
PREFIXES = [(4, length) for length in range(16, 32)] + [(6, length) for length in range(32, 56)]
CREATED = 1_700_000_000
ROWS = 1_000

ADDRESSES = ("<net>.<byte>.<byte>.<byte>", "2a0<digit>:<group>:<group>::1")
READ, WORST = "read one user with roles", "check a ban, 24 lengths in the network"
IPV4, IPV6 = "check a ban, IPv4", "check a ban, IPv6"
BAN = '{"kind":"ban","steam_id64":"<new>","player_name":"Eli","reason":"Cheating"}'


def account(number, bans):
    """The number-th banned account, of twice as many, in an order that is not theirs."""
    return number * 7_919 * 104_729 % bans * 2


def ip_range(number):
    """A range of addresses, anywhere from 16.0.0.0 to 207.255.255.255 or in 2a00::/12."""
    version, length = PREFIXES[number % len(PREFIXES)]
    mixed = number * 0x9E3779B97F4A7C15 % (1 << 64)
    address = 0x10000000 + (mixed >> 32) * 3 // 4 if version == 4 else (0x2A0 << 116) + (mixed << 52)
    kind = ipaddress.IPv4Network if version == 4 else ipaddress.IPv6Network
    return str(kind((address, length), strict=False))


def sourcebans(bans, now):
    """The tables of a dump: a name, columns and rows."""
    yield "sb_admins", ("aid", "user"), ((i, f"'admin{i}'") for i in range(1, 21))
    columns = ("bid", "ip", "authid", "name", "created", "ends", "length", "reason", "aid", "type",
               "RemoveType")

    def row(i):
        times = (CREATED + i, now + 86_400 * 180, 86_400 * 365, "'Wallhack, third time'", 1 + i % 20)
        if i % BY_ADDRESS == 0:
            return (i, f"'{ip_range(i // BY_ADDRESS)}'", "''", f"'player {i}'", *times, 1, "NULL")
        number = account(i, bans)
        steam_id = f"'STEAM_0:{(number + 1) % 2}:{(number + 1) // 2}'"
        return (i, "'192.0.2.1'", steam_id, f"'player {i}'", *times, 0, "NULL")

    yield "sb_bans", columns, (row(i) for i in range(1, bans + 1))


def simpleadmin(bans, now):
    yield "sa_admins", ("id", "player_name"), ((i, f"'admin{i}'") for i in range(1, 21))
    yield "sa_unbans", ("id", "ban_id", "admin_id", "reason", "date"), iter(())
    yield "sa_unmutes", ("id", "mute_id", "admin_id", "reason", "date"), iter(())
    columns = ("id", "player_steamid", "player_name", "player_ip", "admin_name", "reason",
               "duration", "ends", "created", "server_id", "status")

    def row(i):
        steam_id, address = FIRST_STEAM_ID + account(i, bans), f"'198.51.{i // 250 % 250}.{i % 250}'"
        words = (f"'player {i}'", address, f"'admin{i % 20}'", "'Wallhack, third time'")
        times = (525_600, "'2096-01-01 00:00:00'", "'2025-03-01 12:00:00'")
        return (i, f"'{steam_id}'", *words, *times, 1 + i % 9, "'ACTIVE'")

    yield "sa_bans", columns, (row(i) for i in range(1, bans + 1))


def iks(bans, now):
    yield "iks_admins", ("id", "name"), ((i, f"'admin{i}'") for i in range(1, 21))
    columns = ("id", "steam_id", "ip", "name", "duration", "reason", "ban_type", "server_id",
               "admin_id", "unbanned_by", "unban_reason", "created_at", "end_at", "updated_at",
               "deleted_at")

    def row(i):
        who = (FIRST_STEAM_ID + account(i, bans), f"'198.51.{i // 250 % 250}.{i % 250}'")
        words = (f"'player {i}'", 0, "'Wallhack, third time'", 2, "NULL", 1 + i % 20)
        times = (CREATED + i, now + 86_400 * 180, CREATED + i)
        return (i, *who, *words, "NULL", "NULL", *times, "NULL")

    yield "iks_bans", columns, (row(i) for i in range(1, bans + 1))


PROGRAMS = {"simpleadmin": simpleadmin, "iks": iks, "sourcebans": sourcebans}


def write_dump(program, bans, path):
    with open(path, "w", encoding="utf-8") as dump:
        dump.write("/*!50503 SET NAMES utf8mb4 */;\n/*!40103 SET TIME_ZONE='+00:00' */;\n")
        for name, columns, rows in PROGRAMS[program](bans, int(time.time())):
            listed = ",\n".join(f"  `{column}` text" for column in columns)
            dump.write(f"CREATE TABLE `{name}` (\n{listed}\n) ENGINE=InnoDB;\n")
            while part := list(itertools.islice(rows, ROWS)):
                values = ",".join(f"({','.join(map(str, row))})" for row in part)
                dump.write(f"INSERT INTO `{name}` VALUES {values};\n")
        dump.write("-- Dump completed\n")


def import_bans(engine, program, bans):
    """The seconds and the memory of an import into a new database."""
    create_schema(engine)
    dump = engine.folder / "dump.sql"
    write_dump(program, bans, dump)
    where = ["--data-dir", engine.folder, *engine.options()]
    command = [STEWARD, "import", "bans", dump, "--from", program, *where]
    started = time.monotonic()
    importing = subprocess.Popen(
        [str(word) for word in command], env=environment(), cwd=engine.folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    output = importing.stdout.read()
    # Unlike `wait`, it says how much memory the process had.
    _, status, usage = os.wait4(importing.pid, 0)
    took = time.monotonic() - started
    importing.returncode = os.waitstatus_to_exitcode(status)
    size = dump.stat().st_size >> 20
    dump.unlink()
    added = engine.value("SELECT COUNT(*) FROM bans")
    if importing.returncode != 0 or added != bans:
        raise Failed(f"{added} of {bans} bans were imported. {output}")
    return took, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, size


def measure_imports(engine, bans, missed):
    print(f"\n| {engine.title}, import of {bans:,} bans | dump | seconds | processor seconds | memory |")
    print("|---|---|---|---|---|", flush=True)
    for program in PROGRAMS:
        took, memory, cpu, size = import_bans(engine, program, bans)
        cells = f"{size} MiB | {took:.1f} | {cpu:.1f} | {memory:.0f} MiB"
        print(f"| {program} ({load_average()}) | {cells} |", flush=True)
        if took > MOST_SECONDS * max(1, bans / 1e6):
            missed.append(f"the import from {program} took {took:.1f} s")
        if memory > MOST_MIB:
            missed.append(f"the import from {program} took {memory:.0f} MiB")


def service_times(service):
    """The number of checks up to each service time, in milliseconds."""
    connection = service.connect()
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    name = "steward_http_request_seconds_bucket{"
    found = {}
    for line in lines:
        if line.startswith(name) and 'route="/api/bans/check"' in line and 'method="GET"' in line:
            bound = line.split('le="')[1].split('"')[0]
            found[float(bound) * 1e3] = float(line.split()[-1])
    return found


def percentile(before, after, part):
    """The bucket that has this part of the service times: its upper bound, and the exact part of
    all that is within the bound of this program."""
    counts = {bound: count - before.get(bound, 0) for bound, count in after.items()}
    total = max(counts.values())
    bound = next(bound for bound in sorted(counts) if counts[bound] >= part * total)
    return bound, counts[MOST_SERVICE_MILLISECONDS] / total


def measure_checks(engine, bans, missed):
    values = {
        "steam": {"between": [FIRST_STEAM_ID, FIRST_STEAM_ID + 2 * bans - 1]},
        "net": {"between": [16, 207]},
        "byte": {"between": [0, 255]},
        "digit": {"between": [0, 9]},
        "group": {"between": [1000, 9999]},
    }
    checks = [
        get(f"/api/bans/check?steam_id64=<steam>&ip={address}&server_id=1") for address in ADDRESSES
    ]
    print(f"\n| {engine.title}, checks beside {BANS_PER_SECOND} new bans a second | checks a second |"
          " p50 | p99 | service time: p99 | within 1 ms | p99 of new bans |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with serve(engine) as service:
        for title, rate in ((f"{RATE:,} a second", RATE), ("as many as are answered", None)):
            made = {}

            def ban():
                start = NEW_STEAM_ID + unused_number() % 1_000_000_000
                made.update(drive(service, [create("/api/bans", BAN)], {"new": {"count_from": start}},
                                  8, SECONDS, WARM_UP_SECONDS, rate=BANS_PER_SECOND))

            before = service_times(service)
            banning = threading.Thread(target=ban)
            banning.start()
            got = drive(service, checks, values, CONNECTIONS, SECONDS, WARM_UP_SECONDS, rate=rate)
            banning.join()
            after = service_times(service)
            if not made or made["per_second"] < 0.95 * BANS_PER_SECOND:
                raise Failed(f"{made.get('per_second', 0):.0f} bans a second were created")
            bound, share = percentile(before, after, 0.99)
            cells = [f"{got['per_second']:,.0f}", *(f"{got[part] / 1e3:.2f} ms" for part in ("p50", "p99"))]
            cells += [f"at most {bound:g} ms", f"{share:.2%}", f"{made['p99'] / 1e3:.1f} ms"]
            name = f"{title}, {CONNECTIONS} connections ({load_average()})"
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
            if share < 0.99:
                missed.append(f"only {share:.2%} of the checks took 1 ms of service time, {title}")


class Console(socketserver.ThreadingTCPServer):
    """The console of a game server, which notes when it received each command."""

    daemon_threads = True
    PASSWORD, COMMAND, ANSWER = 3, 2, 0

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.serve)
        self.received = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def serve(self, connection, _address, _server):
        stream = connection.makefile("rwb")
        while head := stream.read(12):
            size, number, kind = struct.unpack("<iii", head)
            text = stream.read(size - 8).rstrip(b"\0").decode()
            if kind == self.COMMAND and text:
                self.received.put((time.monotonic(), text))
            # The answer to a password has the number that commands have.
            answer = self.COMMAND if kind == self.PASSWORD else self.ANSWER
            stream.write(struct.pack("<iii2s", 10, number, answer, b"\0\0"))
            stream.flush()


def measure_kicks(engine, _bans, missed):
    console = Console()
    waits = []
    options = ("--server-networks", "127.0.0.0/8")
    with serve(engine, *options, server_query="on") as service:
        server = {"name": "Kicking", "ip": "127.0.0.1", "port": console.server_address[1],
                  "game": "cs2", "rcon_password": "hunter2"}
        made, _ = service.send("POST", "/api/servers", server)
        number = made["server"]["id"]
        kick = {"kick_command": "kickid {steam_id64}"}
        service.send("PUT", f"/api/servers/{number}/commands", kick)
        for i in range(KICKS):
            steam_id = NEW_STEAM_ID + 1_000_000_000 + i
            ban = json.loads(BAN.replace("<new>", str(steam_id)))
            service.send("POST", "/api/bans", {**ban, "server_ids": [number]})
            answered = time.monotonic()
            at, command = console.received.get(timeout=30)
            if command != f"kickid {steam_id}":
                raise Failed(f"the console received {command}")
            waits.append(at - answered)
    console.shutdown()
    print(f"\n| {engine.title}, from the reply to a ban to the kick | median | longest of {KICKS} |")
    print("|---|---|---|")
    cells = f"{statistics.median(waits) * 1e3:.0f} ms | {max(waits) * 1e3:.0f} ms"
    print(f"| {load_average()} | {cells} |", flush=True)
    if max(waits) > MOST_SECONDS_TO_KICK:
        missed.append(f"a kick came {max(waits):.1f} s after the reply")


def check(number, address):
    """A check of a player; every other is banned."""
    steam_id = FIRST_STEAM_ID + 1_000 + number
    return f"/api/bans/check?steam_id64={steam_id}&ip={address}&server_id=1"


def count(engine):
    """The instructions of checks and of reading a user."""
    data = engine.folder / "data"
    data.mkdir(exist_ok=True)
    # The database was made under this key.
    shutil.copy(engine.folder / "secret.key", data)
    with CallgrindService(engine.folder, engine.url()) as service:
        role = {"name": "Guard", "description": "Keeps the peace"}
        service.send(request("POST", "/api/roles", role), 201)
        service.send(request("POST", "/api/roles", role), 201)
        user = {"username": "player000", "email": "player000@example.com",
                "password": "battery staple", "role_ids": [1, 2]}
        service.send(request("POST", "/api/users", user), 201)
        # In one network.
        instructions.fill_bans(lambda path, body: service.send(request("POST", path, body), 201))
        service.measure_idle()
        operations = {
            READ: lambda i: "/api/users/1",
            IPV4: lambda i: check(i, f"{16 + i % 192}.{i}.7.{i}"),
            IPV6: lambda i: check(i, f"2a0{i % 10}:{1_000 + i}::1"),
            WORST: lambda i: check(i, f"2001:db8:ffff::{i}"),
        }
        return {
            name: statistics.median(
                cost
                for cost, _ in instructions.rounds(
                    service, instructions.Operation(name, "GET", path)
                )
            )
            for name, path in operations.items()
        }


def measure_instructions(engine, bans, missed):
    """The database has all bans at first; afterwards it has few."""
    many = count(engine)
    import_bans(engine, "sourcebans", bans // FEWER)
    few = count(engine)
    print(f"\n| {engine.title}, instructions | {bans // FEWER:,} bans | {bans:,} bans | growth |"
          " to reading a user |")
    print("|---|---|---|---|---|")
    for name in many:
        growth, to_read = many[name] / few[name], many[name] / many[READ]
        print(f"| {name} | {few[name]:,.0f} | {many[name]:,.0f} | {growth:.2f} | {to_read:.2f} |")
        if growth > MOST_GROWTH:
            missed.append(f"{name} takes {growth:.2f} times the instructions of few bans")
        if to_read > MOST_TO_READ and name != WORST:
            missed.append(f"{name} takes {to_read:.2f} times the instructions of reading a user")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("bans", type=int, nargs="?", default=1_000_000)
    parser.add_argument("engine", choices=ENGINES, nargs="?", default="sqlite")
    parser.add_argument("--only", choices=("import", "check", "kick", "count"),
                        help="the others need the database of an earlier import")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    # PostgreSQL runs as a different user.
    folder.chmod(0o755)
    engine = ENGINES[options.engine](folder, "bans")
    missed = []
    parts = {
        "import": measure_imports,
        "check": measure_checks,
        "kick": measure_kicks,
        "count": measure_instructions,
    }
    try:
        for name, measure in parts.items():
            if options.only in (None, name):
                measure(engine, options.bans, missed)
    except Failed as error:
        sys.exit(f"bans: {error}")
    finally:
        engine.stop()
    if missed:
        sys.exit("bans: " + "; ".join(missed))


if __name__ == "__main__":
    main()
