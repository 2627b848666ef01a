"""Finds values in a database over its API, so that operations can name existing resources."""

import collections
import datetime
import itertools
import math
import urllib.parse

from .processes import Failed

PER_PAGE = 20
ABSENT = "qzxjvwqzxj"
NOT_BANNED = 76_561_197_960_265_729
# The number of roles, promo codes and so on from which the most common one is chosen.
CANDIDATES = 12


def quoted(text):
    return urllib.parse.quote(text, safe="")


class Facts:
    def __init__(self, service, size, common=None):
        """`common` is the common search term. By default, one is searched for."""
        self.service = service
        self.size = size
        self.check_ids()
        self.user_pages = self.pages("/api/users")
        self.invoice_pages = self.pages("/api/payment-invoices")
        self.role = self.commonest("/api/users?role_id=", self.ids("/api/roles", "roles"))
        currencies = self.ids("/api/currencies", "currencies")
        self.currency = self.commonest("/api/payment-invoices?currency_id=", currencies)
        gateways = self.values_of("/api/payment-gateways", "payment_gateways", "key")
        self.gateway = self.commonest("/api/payment-invoices?gateway=", gateways)
        codes = self.values_of("/api/promo-codes", "promo_codes", "code")
        self.promo_code = self.commonest("/api/payment-invoices?promo_code=", codes)
        self.navigation = self.item_with_most_children()
        self.month = self.middle_month()
        self.players = self.some_players()
        names = self.some_names()
        self.rare = self.rare_of(names)
        self.common = common or self.common_of(names)

    def check_ids(self):
        """Random ids are drawn from 1 to the number of users, so there must be no gaps."""
        last = self.size.users
        for user in (1, last // 2, last):
            try:
                self.service.get(f"/api/users/{user}")
            except Failed as error:
                raise Failed(f"the users are not numbered from 1 to {last}: {error}") from None

    def values_of(self, path, plural, field):
        found = [item[field] for item in self.service.get(f"{path}?per_page=100")[0][plural]]
        if not found:
            raise Failed(f"{path} is empty: the database is not completely filled")
        return found

    def ids(self, path, plural):
        return self.values_of(path, plural, "id")

    def total(self, path):
        extra = "&" if "?" in path else "?"
        _, headers = self.service.get(f"{path}{extra}per_page=1")
        return int(headers["X-Total-Count"])

    def pages(self, path):
        return max(1, math.ceil(self.total(path) / PER_PAGE))

    def commonest(self, path, values):
        """The value with the most matches, which is the slowest to count."""
        return max(values[:CANDIDATES], key=lambda value: self.total(path + quoted(str(value))))

    def item_with_most_children(self):
        items = self.service.get("/api/navbar-items?per_page=100")[0]["navbar_items"]
        parents = collections.Counter(i["parent_id"] for i in items if i["parent_id"] is not None)
        if not parents:
            raise Failed("no navigation item has children: the database is not completely filled")
        return parents.most_common(1)[0][0]

    def middle_month(self):
        """The first and the last day of the calendar month in the middle of all invoices."""
        ends = []
        for sort in ("created_at", "-created_at"):
            page, _ = self.service.get(f"/api/payment-invoices?per_page=1&sort={sort}")
            moment = page["payment_invoices"][0]["created_at"].replace("Z", "+00:00")
            ends.append(datetime.datetime.fromisoformat(moment))
        middle = (ends[0] + (ends[1] - ends[0]) / 2).date()
        first = middle.replace(day=1)
        following = (first + datetime.timedelta(days=32)).replace(day=1)
        return first, following - datetime.timedelta(days=1)

    def some_players(self):
        """Players for checks of bans: those with active bans and one without any, with addresses
        that have or had bans."""

        def fields(query, name):
            bans = self.service.get(f"/api/bans?per_page=100{query}")[0]["bans"]
            return [ban[name] for ban in bans if ban[name]]

        players = [*fields("&state=active", "steam_id64"), NOT_BANNED]
        endings = [address.rsplit(".", 1)[1] for address in fields("", "ip_range")]
        if len(players) == 1 or not endings:
            raise Failed("no player is banned: the database is not completely filled")
        pairs = zip(players, itertools.cycle(endings))
        return tuple({"player": player, "byte": ending} for player, ending in pairs)

    def some_names(self):
        """Usernames from five positions of the list."""
        pages = max(1, self.user_pages * PER_PAGE // 100)
        names = []
        for page in sorted({1 + pages * fifth // 5 for fifth in range(5)}):
            found, _ = self.service.get(f"/api/users?per_page=100&page={page}")
            names += [user["username"].lower() for user in found["users"]]
        return names

    def common_of(self, names):
        """Four letters that occur in as many names as possible."""
        parts = collections.Counter(
            part
            for name in names
            for part in {name[i : i + 4] for i in range(len(name) - 3)}
            if part.isascii() and part.isalpha()
        )
        if not parts:
            raise Failed("no part of a username is common: the database is not completely filled")
        return max((part for part, _ in parts.most_common(CANDIDATES)), key=self.matches)

    def rare_of(self, names):
        """A full name that few other names contain."""
        long = [name for name in names if len(name) >= 6 and name.isascii()]
        rare = min(long[:: max(1, len(long) // CANDIDATES)], key=self.matches)
        if self.matches(rare) > 20 or self.matches(ABSENT) > 0:
            raise Failed(f"{rare} is not rare, or {ABSENT} is not absent")
        return rare

    def matches(self, term):
        return self.total(f"/api/users/search?q={quoted(term)}")

    def summary(self):
        """The facts for the report."""
        return {
            "users": self.total("/api/users"),
            "invoices": self.total("/api/payment-invoices"),
            "rare": [self.rare, self.matches(self.rare)],
            "common": [self.common, self.matches(self.common)],
            "absent": [ABSENT, 0],
            "role": self.total(f"/api/users?role_id={self.role}"),
            "gateway": self.total(f"/api/payment-invoices?gateway={quoted(self.gateway)}"),
            "currency": self.total(f"/api/payment-invoices?currency_id={self.currency}"),
            "promo_code": self.total(f"/api/payment-invoices?promo_code={quoted(self.promo_code)}"),
            "month": [str(day) for day in self.month],
        }
