"""Prevents generated requests from disturbing the run, and checks what schemathesis does not."""

import itertools
import os
import re

import schemathesis
from hypothesis import strategies

OWN_VALUE = os.environ["STEWARD_ADMIN_KEY"]
# The database is new, so the key that makes the calls is the first one in it.
OWN_KEY = 1
NOT_A_KEY = 2**62

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
VALID_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
numbers = itertools.count()


addresses = strategies.ip_addresses(v=4) | strategies.ip_addresses(v=6)
days = strategies.dates().map(lambda day: day.isoformat())
moments = strategies.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "Z")
# Formats of our own.
schemathesis.openapi.format("ip", addresses.map(str))
schemathesis.openapi.format("date-or-date-time", days | moments)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes what the schema says for clients and the service does not enforce.

    The format of integers in query strings: generated clients choose their type by it, but the
    service accepts a larger number, and finds nothing under it. The types of the fields of a
    product's step: those of other kinds are ignored.
    """
    parameters = list(raw_schema["components"]["parameters"].values())
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            parameters.extend(operation.get("parameters", []))
    for parameter in parameters:
        if parameter.get("in") == "query" and parameter["schema"].get("type") == "integer":
            parameter["schema"].pop("format", None)
    for schema in raw_schema["components"]["schemas"].values():
        step = schema.get("properties", {}).get("steps", {}).get("items", {})
        fields = step.get("properties", {})
        fields.update({name: {} for name in fields if name != "kind"})


@schemathesis.check
def own_key_is_accepted(ctx, response, case):
    """The run's own key has all permissions. Other checks accept 401 and 403, so they would not
    notice if it stopped working."""
    own = response.request.headers.get("X-API-Key") == OWN_VALUE
    if own and response.status_code in (401, 403):
        assert response.json()["code"] == "user_blocked", "the key of this run was refused"


# Input errors that no schema can express: they depend on stored data, on two fields, on a length in
# bytes, or on a format, which a schema states but does not enforce.
NOT_IN_SCHEMA = re.compile(
    "has already been taken"
    "|is not the id of .*"
    "|is not the name or the id of a social network"
    "|must be at least .* in this currency"
    "|has no price in this currency"
    "|must be the price of the product, which is .*"
    "|needs a (steam|discord) profile, which the user who gets it has not linked"
    "|is not a server of the product"
    "|must be left out without .*"
    "|must have at most 100 pairs of a step and a server"
    "|is (not active|not valid yet|not for this user|disabled)"
    "|has expired"
    "|has been used up( by this user)?"
    "|needs an amount of at least .*"
    "|must be at most 100 for a percentage"
    "|must be after starts_at"
    "|must be a string in a text block"
    "|must be an object in an image block"
    "|must be at most .* levels deep"
    "|must be in the future"
    "|must lead to a time within the next ([0-9]+ years|year)"
    "|must be blocked"
    "|must not be after (end_date|created_to|to)"
    "|must not be repeated"
    "|must not be true together with .*"
    "|must not be the item itself or one below it"
    "|must be .* bytes long"
    "|must be a moment in ISO 8601.*"
    "|must be a date such as .*"
    "|must be an email address"
    "|must be a SteamID64 such as .*"
    "|must be a SteamID of a person, such as .*"
    "|must be an address or a range such as .*"
    "|must be a key such as .*"
    "|must be an id of Discord: .*"
    "|must be a network such as .*"
    "|must be an IPv4 or IPv6 address"
    # The leading slash, which is removed, does not count.
    "|must be 1 to 255 of the letters a to z, digits, .*"
    "|is required, unless there is one of .*"
    "|must be the only one of .*"
    "|must be before to"
    "|must be closer to from.*"
    "|must be a URL that begins with http:// or https:// and has a host"
    "|must not contain a user name or a password"
    "|must be at least .*, for at most 2000 points"
    "|must come from a Link header.*"
    "|must be a cursor out of a Link header"
    # Patterns exclude ASCII characters only, since not every dialect can name the others.
    "|must not contain (control|bidirectional or zero-width) characters"
    "|must be an http or https address.*"
    "|must be 1 to 1000 characters, none of them control characters"
    # An enum of one boolean has no type in generated clients.
    "|must be true, or be left out"
    # The rest of more than 100 faults, of which those listed are checked.
    "|[0-9]+ more faults? (is|are) not shown"
)
REFUSED_BY_STATE = {
    "has_children",
    "invalid_credentials",
    "invoice_paid",
    # Nothing is sent to the addresses that schemathesis generates.
    "server_query_off",
    "session_invalid",
}


@schemathesis.check
def what_the_schema_allows_is_accepted(ctx, response, case):
    """Replaces positive_data_acceptance for 422: accepts it only for certain reasons."""
    allowed = case.meta is not None and case.meta.generation.mode.is_positive
    if not allowed or response.status_code != 422:
        return
    body = response.json()
    if body["code"] in REFUSED_BY_STATE:
        return
    faults = body.get("errors", {"": [body["message"]]})
    for field, sentences in faults.items():
        # The fields of a block's content and of a step depend on its type, which the schema does not
        # express.
        if field.startswith(("content.", "steps.")):
            continue
        # A schema cannot say where a command may have braces.
        if field.endswith("_command"):
            continue
        # A ban by address alone must expire.
        if field == "expires_at" and sentences == ["is required"]:
            continue
        # An order of a product may leave out the amount.
        if field == "amount" and sentences == ["is required"]:
            continue
        # Only the first connection to Discord, and one to another server, need these.
        if field in ("guild_id", "bot_token") and sentences == ["is required"]:
            continue
        # A cursor is any text to clients, but only one from a Link header is valid.
        if field == "after":
            continue
        for sentence in sentences:
            # The content of a block is any JSON, in which the schema excludes nothing.
            unfit = ("must not contain the NUL character", "must not be null")
            if field == "content" and sentence in unfit:
                continue
            assert NOT_IN_SCHEMA.fullmatch(sentence), f"{field} {sentence}"


@schemathesis.hook
def before_call(context, case, kwargs):
    remove_control_characters(case)
    protect_own_key(case)
    use_idempotency_key_once(case)
    keep_webhooks_on_this_machine(case)


def remove_control_characters(case):
    """Removes control characters from headers: the HTTP library refuses such a request before the
    service sees it.

    Also converts numbers, which schemathesis copies from responses into headers, to text.
    """
    for name, value in case.headers.items():
        if not isinstance(value, bytes):
            case.headers[name] = CONTROL.sub("", str(value))


def protect_own_key(case):
    """Prevents the run from deleting its own key or changing its permissions."""
    own = str(case.path_parameters.get("id", "")).lstrip("0") == str(OWN_KEY)
    if own and case.method != "GET" and case.path.startswith("/api/api-keys/"):
        case.path_parameters["id"] = NOT_A_KEY


def use_idempotency_key_once(case):
    """Makes every value unique: the contract refuses a valid value that was used before."""
    value = case.headers.get("Idempotency-Key")
    if isinstance(value, str) and VALID_IDEMPOTENCY_KEY.fullmatch(value):
        number = f"-{next(numbers)}"
        case.headers["Idempotency-Key"] = value[: 255 - len(number)] + number


WEB = re.compile("https?://", re.IGNORECASE)


def keep_webhooks_on_this_machine(case):
    """Replaces the host of a generated URL by one that refuses connections: the service sends
    events to it."""
    if not case.path.startswith("/api/webhooks") or not isinstance(case.body, dict):
        return
    url = case.body.get("url")
    if isinstance(url, str) and WEB.match(url):
        case.body["url"] = "http://127.0.0.1:9/" + WEB.sub("", url, count=1)
