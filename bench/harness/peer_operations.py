"""The operations that compare the service with PocketBase, and the check of their data."""

import dataclasses
import random
import re
import sqlite3
import typing

from .facts import quoted
from .load import unused_number
from .operations import CREATE_ROLE, create, get
from .pocketbase import FIRST_ID
from .processes import Failed

ROLES_EACH = 2
# Enough for one round. With fewer the round ends earlier.
SEARCHES = 40_000
MOST_MATCHES = 20
RECORDS = "/api/collections/users/records"
LIST = f"{RECORDS}?perPage=20&expand=roles"


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    # The requests to the service and to PocketBase.
    ours: dict
    theirs: dict
    # Returns the values of both requests for a round, by its number.
    values: typing.Callable
    # The instance of PocketBase: stock, stock with a user's token, or durable.
    instance: str = "stock"


def hold_two_roles(database):
    """Gives every user two roles. `steward demo` gives some none and some four."""
    rows = sqlite3.connect(database)
    with rows:
        (roles,) = rows.execute("SELECT count(*) FROM roles").fetchone()
        rows.execute("DELETE FROM user_roles")
        for step in range(ROLES_EACH):
            rows.execute(
                "INSERT INTO user_roles (user_id, role_id) SELECT id, 1 + (id + ?) % ? FROM users",
                (step, roles),
            )
    rows.close()


def search_terms(database):
    """Usernames of letters and digits that few other users have in their name or address."""
    rows = sqlite3.connect(database)
    names = [name for (name,) in rows.execute("SELECT username_folded FROM users ORDER BY id")]
    rows.close()
    return [name for name in names if re.fullmatch("[a-z0-9]{9,}", name)]


def operations(users, terms):
    def ids(_):
        return ({"id": {"between": [first + 1, first + users]}} for first in (0, FIRST_ID))

    def nothing(_):
        return {}, {}

    def searches(number):
        some = random.Random(number).choices(terms, k=SEARCHES)
        both = map(our_search, some), map(their_search, some)
        return ({"search": {"each_once": list(queries)}} for queries in both)

    def names(_):
        return ({"n": {"count_from": unused_number()}} for _ in range(2))

    read = get("/api/users/<id>"), get(f"{RECORDS}/<id>?expand=roles")
    page = get("/api/users")
    search = get("/api/users/search?<search>"), get(f"{LIST}&<search>")
    role = create(*CREATE_ROLE)
    roles = role, {**role, "path": "/api/collections/roles/records", "status": 200}
    uncounted = get(f"{LIST}&skipTotal=1")
    return [
        Operation("read one user with its roles", *read, ids),
        Operation("read one user with its roles; PocketBase by an API rule", *read, ids, "ruled"),
        Operation("list 20 users and their total", page, get(LIST), nothing),
        Operation("list 20 users; PocketBase without the total", page, uncounted, nothing),
        Operation("search users, a rare term", *search, searches),
        Operation("create a role; durable only in Steward", *roles, names),
        Operation("create a role; durable in both", *roles, names, "durable"),
    ]


def our_search(term):
    return f"q={quoted(term)}"


def their_search(term):
    return "filter=" + quoted(f"(username~'{term}'||email~'{term}')")


def check_same_data(service, peer, users, terms):
    """Compares a user, the totals and some searches. Returns the highest number of matches."""
    user = service.get(f"/api/users/{users // 2}")[0]["user"]
    record = peer.get(f"{RECORDS}/{FIRST_ID + users // 2}?expand=roles")[0]
    ours = user["username"], user["email"], [role["name"] for role in user["roles"]]
    held = [role["name"] for role in record["expand"]["roles"]]
    theirs = record["username"], record["email"], held
    if ours != theirs or len(held) != ROLES_EACH:
        raise Failed(f"the users differ: {ours} and {theirs}")
    some = random.Random(users).sample(terms, 20)
    pairs = [("/api/users?", LIST)]
    pairs += [(f"/api/users/search?{our_search(t)}", f"{LIST}&{their_search(t)}") for t in some]
    totals = []
    for ours, theirs in pairs:
        total = int(service.get(ours)[1]["X-Total-Count"])
        if total != peer.get(theirs)[0]["totalItems"]:
            raise Failed(f"the totals of {ours} and {theirs} differ")
        totals.append(total)
    if totals[0] != users or not 1 <= max(totals[1:]) <= MOST_MATCHES:
        raise Failed(f"unexpected totals: {totals}")
    return max(totals[1:])
