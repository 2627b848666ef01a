"""Measures lists of grants, and the end of a million roles within an hour.

Fills databases of three sizes by SQL; each grant has given a role for a time. Measures the
p50 of lists of grants and of role histories, and fails if one grows more than twice from the
middle size to the largest. From the smallest on, the lists of which more than one in ten
grants are part grow more, because matches are counted up to 10,000. Then the roles of the
largest end within one hour: it creates roles at a steady rate, first while none ends and then
while they do, and watches how late ends are. Prints tables in Markdown, and fails if a bound
below is exceeded. Uses 127.0.0.1 only.

usage: python3 bench/grants.py FOLDER [GRANTS] [sqlite|postgres] [--only lists|ends]
       (default 1000000 grants, sqlite)
"""

import argparse
import contextlib
import pathlib
import statistics
import sys
import threading
import time

from harness.engines import ENGINES, create_schema, load_average, serve
from harness.load import drive, unused_number
from harness.operations import CREATE_ROLE, create, get
from harness.processes import Failed

MOST_GROWTH = 2
MOST_SECONDS_LATE = 5
MOST_P99_GROWTH = 2

# The sizes are these parts of the largest.
PARTS = (100, 10, 1)
# As many products, roles, and grants of a user.
ROLES = 10
WITHIN_SECONDS = 3_600
LIST_ROUNDS, LIST_SECONDS = 5, 0.5
WRITE_ROUNDS, WRITE_SECONDS = 5, 10
WRITES_PER_SECOND, CONNECTIONS = 100, 8
WARM_UP_SECONDS = 1
# Between the fill and the first end. Moving a million ends takes a part of it.
QUIET_SECONDS = 180
SAMPLE_SECONDS = 0.25
NO_END = 9_223_372_036_854_775_807


def fill(engine, grants, first_end):
    """Users with a grant of every product. Few grants are not done. The roles end one after another
    from `first_end` on, in an order that is not that of the users."""
    create_schema(engine)
    users = grants // ROLES
    numbers = engine.numbers(grants)
    user, role = f"1 + (n - 1) % {users}", f"1 + (n - 1) / {users}"
    of_state = "CASE n % 1000 WHEN 1 THEN 'attention' WHEN 2 THEN 'revoked' ELSE 'done' END"
    end = f"{first_end} + n * 7919 * 104729 % {grants} * {WITHIN_SECONDS} / {grants}"
    engine.run(
        [
            "INSERT INTO roles (name, description, color) "
            f"SELECT 'VIP ' || n, '', '#808080' FROM {engine.numbers(ROLES)}",
            "INSERT INTO products (name, description, active, choose_server, created_at, updated_at) "
            f"SELECT 'VIP ' || n, '', TRUE, FALSE, 1, 1 FROM {engine.numbers(ROLES)}",
            "INSERT INTO product_steps (product_id, position, kind, role_id, seconds, repeatable) "
            f"SELECT n, 0, 'role', n, 2592000, FALSE FROM {engine.numbers(ROLES)}",
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash, "
            "status, created_at, updated_at) SELECT 'u' || n, 'u' || n || '@example.com', 'u' || n, "
            f"'u' || n || '@example.com', '', 'active', 1, 1 FROM {engine.numbers(users)}",
            "INSERT INTO grants (product_id, product_name, user_id, server_id, state, reason, "
            f"username, created_at, finished_at) SELECT {role}, 'VIP', {user}, 1 + n % 3, {of_state}, "
            f"'', 'u', 1, 1 FROM {numbers}",
            "INSERT INTO grant_steps (grant_id, kind, role_id, seconds, repeatable, state, undoing, "
            "cancelling, attempts, queued_at, done_at, period_from, period_until, role_ended) "
            f"SELECT n, 'role', {role}, 2592000, FALSE, 'done', FALSE, FALSE, 0, 1, 1, 1, {end}, FALSE "
            f"FROM {numbers}",
            f"INSERT INTO user_roles (user_id, role_id, expires_at) SELECT {user}, {role}, {end} "
            f"FROM {numbers}",
            "INSERT INTO user_role_history (user_id, role_id, role_name, granted_at, expires_at, "
            f"source_kind, source_id) SELECT {user}, {role}, 'VIP', 1, {end}, 'grant', n FROM {numbers}",
        ]
    )


def lists():
    filters = {
        "no filter": "",
        "of a user": "user_id=<user>",
        "of a product": "product_id=1",
        "of a server": "server_id=1",
        "of an invoice": "invoice_id=<user>",
        "done": "state=done",
        "in attention": "state=attention",
        "none cancelled": "state=cancelled",
        "of a product, in attention": "product_id=1&state=attention",
        "of a product, none cancelled": "product_id=1&state=cancelled",
        "of a server, none cancelled": "server_id=1&state=cancelled",
        "of a product, done": "product_id=1&state=done",
        "of a user and a product": "user_id=<user>&product_id=1",
        "of a user, in attention": "user_id=<user>&state=attention",
    }
    for title, query in filters.items():
        yield f"grants, {title}", f"/api/grants?{query}"
    yield "history of a user's roles", "/api/users/<user>/role-history"
    yield "roles of a user", "/api/users/<user>/roles"
    yield "users of a role", "/api/users?role_id=1"


def times_of_lists(engine, grants):
    """The p50 of each list, in microseconds."""
    with serve(engine) as service:
        values = {"user": {"between": [1, grants // ROLES]}}
        return {
            title: statistics.median(
                drive(service, [get(path)], values, 1, LIST_SECONDS, 0.1)["p50"]
                for _ in range(LIST_ROUNDS)
            )
            for title, path in lists()
        }


def measure_lists(engine, grants, missed):
    far = int(time.time()) + 86_400 * 30
    sizes = [grants // part for part in PARTS]
    found = []
    for size in sizes:
        fill(engine, size, far)
        found.append(times_of_lists(engine, size))
    heads = " | ".join(f"{size:,} grants" for size in sizes)
    print(f"\n| {engine.title}, p50 ({load_average()}) | {heads} | growth, from the middle size on |")
    print("|---|---|---|---|---|")
    for title, _ in lists():
        times = [of_size[title] for of_size in found]
        growths = [times[-1] / time for time in times[:-1]]
        cells = [f"{time:,.0f} µs" for time in times] + [", ".join(f"{g:.2f}" for g in growths)]
        print(f"| {title} | {' | '.join(cells)} |")
        if growths[-1] > MOST_GROWTH:
            missed.append(f"{title} takes {growths[-1]:.2f} times as long")
    sys.stdout.flush()


@contextlib.contextmanager
def watched(engine):
    """Collects how many seconds the oldest role that should have ended is late."""
    late, stop = [0], threading.Event()

    def watch():
        while not stop.wait(SAMPLE_SECONDS):
            now = int(time.time())
            oldest = engine.value(
                f"SELECT MIN(expires_at) FROM user_roles WHERE expires_at < {NO_END} "
                f"AND expires_at <= {now}"
            )
            if oldest is not None:
                late.append(now - oldest)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield late
    finally:
        stop.set()
        watching.join()


def write(service):
    """The p50 and the p99 of a round of writes."""
    values = {"n": {"count_from": unused_number()}}
    got = drive(service, [create(*CREATE_ROLE)], values, CONNECTIONS, WRITE_SECONDS,
                WARM_UP_SECONDS, rate=WRITES_PER_SECOND)
    return got["p50"], got["p99"]


def ended(engine):
    return engine.value("SELECT COUNT(*) FROM user_role_history WHERE ended_by = 'expired'")


def measure_ends(engine, grants, missed):
    fill(engine, grants, 0)
    # The fill takes a while, so the ends are moved when it is done.
    first_end = int(time.time()) + QUIET_SECONDS
    engine.run(
        f"UPDATE {table} SET expires_at = expires_at + {first_end}"
        for table in ("user_roles", "user_role_history")
    )
    with serve(engine) as service:
        quiet = [write(service) for _ in range(WRITE_ROUNDS)]
        load = load_average()
        if time.time() > first_end or ended(engine):
            raise Failed("roles ended during the quiet rounds")
        time.sleep(max(0, first_end - time.time()))
        started = time.monotonic()
        with watched(engine) as late:
            busy = [write(service) for _ in range(WRITE_ROUNDS)]
        seconds = time.monotonic() - started
        count = ended(engine)
    events = engine.value("SELECT COUNT(*) FROM audit_log WHERE action = 'users.role_expired'")
    # Those that ended between the two counts, while the service stopped.
    if not count <= events <= ended(engine):
        raise Failed(f"{count} roles ended, and there are {events} events")
    before, during = ([statistics.median(part) / 1e3 for part in zip(*rounds)]
                      for rounds in (quiet, busy))
    growth = during[1] / before[1]
    due = grants * (seconds - MOST_SECONDS_LATE) / WITHIN_SECONDS
    print(f"\n| {engine.title}, {WRITES_PER_SECOND} new roles a second | p50 | p99 | p99 of each round |")
    print("|---|---|---|---|")
    for title, (p50, p99), rounds in (
        (f"no role of a user ends ({load})", before, quiet),
        (f"{count / seconds:,.0f} end a second ({load_average()})", during, busy),
    ):
        each = ", ".join(f"{slow / 1e3:.1f}" for _, slow in rounds)
        print(f"| {title} | {p50:.1f} ms | {p99:.1f} ms | {each} ms |")
    print(f"\nThe p99 grew {growth:.2f} times. {count:,} roles ended in {seconds:.0f} s;"
          f" the latest was {max(late)} s late.", flush=True)
    if count < due:
        missed.append(f"only {count:,} of {due:,.0f} roles ended")
    if max(late) > MOST_SECONDS_LATE:
        missed.append(f"a role ended {max(late)} s late")
    if growth > MOST_P99_GROWTH:
        missed.append(f"the p99 of writes grew {growth:.2f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("grants", type=int, nargs="?", default=1_000_000)
    parser.add_argument("engine", choices=ENGINES, nargs="?", default="sqlite")
    parser.add_argument("--only", choices=("lists", "ends"))
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    # PostgreSQL runs as a different user.
    folder.chmod(0o755)
    engine = ENGINES[options.engine](folder, "grants")
    missed = []
    try:
        for name, measure in (("lists", measure_lists), ("ends", measure_ends)):
            if options.only in (None, name):
                measure(engine, options.grants, missed)
    except Failed as error:
        sys.exit(f"grants: {error}")
    finally:
        engine.stop()
    if missed:
        sys.exit("grants: " + "; ".join(missed))


if __name__ == "__main__":
    main()
