"""The operations to measure, as requests for the load generator."""

import dataclasses
import typing

from .facts import ABSENT, Facts, quoted
from .load import unused_number
from .processes import KEY

CONNECTIONS = (1, 32, 256)
CREATES = (1, 32, 64, 256)
# Enough for one round of payments on a fast disk. With fewer the round ends earlier.
INVOICES_TO_PAY = 40_000


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    # The plot that it belongs to. Writes and mixes have none.
    group: str
    requests: list
    # Called for each run, because an invoice can be paid only once.
    values: typing.Callable
    # The numbers of connections at which it is compared with the limit.
    connections: tuple = ()
    # Values of requests that the program by hand must answer like the service. Empty if it does not
    # have the operation.
    samples: tuple = ()

    @property
    def is_read(self):
        return all(request["method"] == "GET" for request in self.requests)


def get(path, weight=1):
    return {"method": "GET", "path": path, "status": 200, "weight": weight}


def create(path, body, weight=1):
    return {"method": "POST", "path": path, "body": body, "status": 201, "weight": weight}


# The number of users created concurrently. The service refuses more than 64 that wait for their
# password to be hashed.
USERS_AT_ONCE = 60
# Players whom the demo may have banned, with addresses of its bans.
PLAYERS = (76_561_198_860_265_728, 76_561_198_861_265_727)
CHECK = "/api/bans/check?steam_id64=<player>&ip=203.0.113.<byte>"
READ_USER = "read one user with its roles"
CREATE_ROLE = ("/api/roles", '{"name":"Role <n>","description":"Made to be measured"}')
CREATE_USER = (
    "/api/users",
    '{"username":"made-<n>","email":"made-<n>@example.com","password":"measured <n>"}',
)


def create_invoice(facts):
    body = (
        f'{{"user_id":<user>,"gateway":"{facts.gateway}","amount":12.5,'
        f'"currency_id":{facts.currency}}}'
    )
    return "/api/payment-invoices", body


def operations(facts):
    """All operations on one database."""

    def values(_):
        return {
            "user": {"between": [1, facts.size.users]},
            "n": {"count_from": unused_number()},
            "player": {"between": PLAYERS},
            "byte": {"between": [0, 255]},
        }

    def read(group, name, path, connections=(), samples=()):
        return Operation(name, group, [get(path)], values, connections, samples)

    last = facts.size.users
    some = tuple({"user": user} for user in (1, last // 3, last // 2, last))
    return [
        read("users", READ_USER, "/api/users/<user>", CONNECTIONS, some),
        *of_users(facts, read),
        *of_search(facts, read),
        read("bans", "check a ban", CHECK, CONNECTIONS, facts.players),
        *of_invoices(facts, read),
        *of_statistics(facts, read),
        read(
            "navigation",
            "read a navigation item with its children",
            f"/api/navbar-items/{facts.navigation}",
            CONNECTIONS,
        ),
        *of_writes(facts, values, some),
        Operation("a mix of 95 % reads", "mix", mix(facts), values, CONNECTIONS),
    ]


def of_users(facts, read):
    def ends(what, query, pages, connections=(), samples=()):
        for title, page, of in (("page 1", 1, samples), ("the last page", pages, ())):
            path = f"/api/users?page={page}{query}"
            yield read("users", f"list users{what}, {title}", path, connections, of)

    yield from ends("", "", facts.user_pages, CONNECTIONS, ({},))
    middle = f"/api/users?page={max(1, facts.user_pages // 2)}"
    yield read("users", "list users, the middle page", middle)
    for what, query in (("of a status", "status=active"), ("of a role", f"role_id={facts.role}")):
        yield from ends(f" {what}", f"&{query}", facts.pages(f"/api/users?{query}"))
    for sort in ("-id", "username", "-username", "created_at", "-created_at"):
        yield from ends(f" by {sort}", f"&sort={sort}", facts.user_pages)


def of_search(facts, read):
    for kind, term in (("rare", facts.rare), ("common", facts.common), ("absent", ABSENT)):
        path = f"/api/users/search?q={quoted(term)}"
        yield read("search", f"search users, a term that is {kind}", path, CONNECTIONS)


def of_invoices(facts, read):
    def page(what, query, title="page 1", number=1, connections=()):
        path = f"/api/payment-invoices?page={max(1, number)}{query}"
        return read("invoices", f"list invoices{what}, {title}", path, connections)

    yield page("", "", connections=CONNECTIONS)
    yield page("", "", "the middle page", facts.invoice_pages // 2)
    yield page("", "", "the last page", facts.invoice_pages, CONNECTIONS)
    first, last = facts.month
    for what, query in (
        ("that are paid", "is_paid=true"),
        ("of a gateway", f"gateway={quoted(facts.gateway)}"),
        ("in a currency", f"currency_id={facts.currency}"),
        ("of status pending", "status=pending"),
        ("of a month", f"created_from={first}&created_to={last}"),
        ("with a promo code", f"promo_code={quoted(facts.promo_code)}"),
    ):
        yield page(f" {what}", f"&{query}", connections=CONNECTIONS)
        pages = facts.pages(f"/api/payment-invoices?{query}")
        yield page(f" {what}", f"&{query}", "the last page", pages)
    yield page(" of one user", "&user_id=<user>", connections=CONNECTIONS)
    for what, query in (
        ("that are not paid", "is_paid=false"),
        ("of status paid", "status=paid"),
        ("of status failed", "status=failed"),
    ):
        yield page(f" {what}", f"&{query}")
    for sort in ("id", "-id", "created_at", "amount", "-amount"):
        yield page(f" by {sort}", f"&sort={sort}")
        yield page(f" by {sort}", f"&sort={sort}", "the last page", facts.invoice_pages)


def of_statistics(facts, read):
    path = "/api/payment-invoices/stats"
    first, last = facts.month
    yield read("statistics", "statistics of everything", path, CONNECTIONS)
    month = f"{path}?start_date={first}&end_date={last}"
    yield read("statistics", "statistics of a month", month, CONNECTIONS)
    currency = f"{path}?currency_id={facts.currency}"
    yield read("statistics", "statistics of one currency", currency, CONNECTIONS)


def of_writes(facts, values, some):
    def to_pay(service):
        return {**values(service), "invoice": {"each_once": unpaid(service, INVOICES_TO_PAY)}}

    pay = {
        "method": "PUT",
        "path": "/api/payment-invoices/<invoice>/status",
        "body": '{"is_paid":true,"transaction_id":"T-<n>"}',
        "status": 200,
    }
    def create_each(name, request, samples):
        return Operation(name, "writes", [create(*request)], values, CREATES, samples)

    yield create_each("create a role", CREATE_ROLE, ({"n": 1},))
    yield create_each("create an invoice", create_invoice(facts), some)
    yield Operation("pay an invoice", "writes", [pay], to_pay, CREATES)


def mix(facts):
    """Requests that resemble those of an administration panel."""
    first, last = facts.month
    return [
        get("/api/users/<user>", 50),
        get("/api/users?page=1", 15),
        get(f"/api/users/search?q={quoted(facts.rare)}", 5),
        get("/api/payment-invoices?user_id=<user>", 15),
        get("/api/payment-invoices?page=1", 5),
        get(f"/api/payment-invoices/stats?start_date={first}&end_date={last}", 3),
        get(f"/api/navbar-items/{facts.navigation}", 2),
        create(*create_invoice(facts), 4),
        create(*CREATE_ROLE, 1),
    ]


def unpaid(service, count):
    """The ids of the newest unpaid invoices. The rest of the export is not read."""
    connection = service.connect()
    path = "/api/payment-invoices/export?format=csv&is_paid=false&sort=-id"
    connection.request("GET", path, headers={"X-API-Key": KEY})
    reply = connection.getresponse()
    reply.readline()
    ids = []
    while len(ids) < count and (line := reply.readline()):
        ids.append(line.split(b",", 1)[0].decode())
    connection.close()
    return ids


def by_name(service, size, common=None):
    """The facts about the database that `service` serves, and its operations by name."""
    facts = Facts(service, size, common)
    return facts, {operation.name: operation for operation in operations(facts)}
