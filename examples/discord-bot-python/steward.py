"""The part of the bot that talks to Steward. It needs nothing but Python, and knows nothing of Discord."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

ATTEMPTS = 3


class StewardError(Exception):
    """An error reply. `code` is for programs and never changes, `str(error)` is for people."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status = status
        self.code = code


class Steward:
    def __init__(self, url: str, key: str):
        self.url = url.rstrip("/")
        self.key = key

    def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        query: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Sends a request, and sends it again if Steward is busy or cannot be reached.

        Every write has an idempotency key, so Steward carries it out once, however often it arrives.
        """
        address = self.url + path + (f"?{urllib.parse.urlencode(query)}" if query else "")
        headers = {"X-API-Key": self.key}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method != "GET":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with urllib.request.urlopen(request, timeout=10) as reply:
                    found: dict[str, Any] = json.load(reply)
                    return found
            except urllib.error.HTTPError as error:
                if error.code in (429, 503) and attempt < ATTEMPTS:
                    time.sleep(min(int(error.headers.get("Retry-After", "1")), 5))
                    continue
                raise to_steward_error(error) from None
            except OSError as error:
                if attempt == ATTEMPTS:
                    raise StewardError(0, "unreachable", "Steward cannot be reached.") from error
                time.sleep(1)
        raise AssertionError("the last attempt returns or raises")


def to_steward_error(error: urllib.error.HTTPError) -> StewardError:
    try:
        body = json.load(error)
        return StewardError(error.code, body["code"], body["message"])
    except (ValueError, KeyError, TypeError):
        # A proxy in front of Steward has error pages of its own.
        return StewardError(error.code, "unknown", f"Steward replied with {error.code}.")


def find_player(steward: Steward, name: str) -> dict[str, Any] | None:
    """The player with exactly this name, ignoring case."""
    if len(name) < 3:
        # The search needs three characters. No shorter name is searched for.
        return None
    found = steward.call("GET", "/api/users/search", query={"q": name, "per_page": 100})
    for user in found["users"]:
        if user["username"].casefold() == name.casefold():
            path = f"/api/users/{user['id']}"
            # With `include`, each role has its end.
            found = steward.call("GET", path, query={"include": "roles"})
            player: dict[str, Any] = found["user"]
            return player
    return None


def describe_player(steward: Steward, name: str) -> str:
    player = find_player(steward, name)
    if player is None:
        return f"There is no player called {name}."
    roles = ", ".join(describe_role(role) for role in player["roles"]) or "no roles"
    return f"{player['username']}: {player['status']}, {roles}, here since {player['created_at'][:10]}."


def describe_role(role: dict[str, Any]) -> str:
    end = role["expires_at"]
    return f"{role['name']} until {end[:10]}" if end else str(role["name"])


def give_product(steward: Steward, name: str, product: str, reason: str, command_id: str) -> str:
    """Gives a product without a payment, such as a prize: its roles, commands and items."""
    player = find_player(steward, name)
    if player is None:
        return f"There is no player called {name}."
    query = {"active": "true", "per_page": 100}
    for offered in steward.call("GET", "/api/products", query=query)["products"]:
        if offered["name"].casefold() == product.casefold():
            break
    else:
        return f"There is no product called {product}."
    grant = steward.call(
        "POST",
        "/api/grants",
        {"user_id": player["id"], "product_id": offered["id"], "reason": reason},
        idempotency_key=f"discord-{command_id}",
    )["grant"]
    if grant["state"] == "attention":
        return f"{player['username']} did not get all of {offered['name']}: look at the console."
    return f"{player['username']} gets {offered['name']}."


def block_player(
    steward: Steward, name: str, reason: str, days: int | None, command_id: str, sent_at: datetime
) -> str:
    """Blocks a player, for ever without `days`.

    The days count from when the command was sent, so that a command that arrives twice is the same
    request twice. Another request under the same idempotency key would be an error.
    """
    player = find_player(steward, name)
    if player is None:
        return f"There is no player called {name}."
    terms: dict[str, Any] = {"reason": reason}
    if days is not None:
        until = sent_at.astimezone(timezone.utc) + timedelta(days=days)
        terms["until"] = until.strftime("%Y-%m-%dT%H:%M:%SZ")
    steward.call(
        "POST", f"/api/users/{player['id']}/block", terms, idempotency_key=f"discord-{command_id}"
    )
    return f"{player['username']} is blocked" + (f" for {days} days." if days else ".")


def unblock_player(steward: Steward, name: str, command_id: str) -> str:
    player = find_player(steward, name)
    if player is None:
        return f"There is no player called {name}."
    steward.call(
        "POST", f"/api/users/{player['id']}/unblock", idempotency_key=f"discord-{command_id}"
    )
    return f"{player['username']} is not blocked."


def describe_servers(steward: Steward) -> str:
    """One line for each enabled server: its name, players, map and address."""
    lines = []
    for server in steward.call("GET", "/api/servers")["servers"]:
        if not server["enabled"]:
            continue
        stats = steward.call("GET", f"/api/servers/{server['id']}")["server"]["stats"]
        lines.append(
            f"{server['name']}: {stats['players_online']}/{stats['max_players']}"
            f" on {stats['map'] or 'no map'}, {server['ip']}:{server['port']}"
        )
    return "\n".join(lines) or "No server is enabled."
