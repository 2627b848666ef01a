"""Keeps generated requests from getting in the way of the run itself."""

import itertools
import os
import re

import schemathesis

OWN_VALUE = os.environ["STEWARD_ADMIN_KEY"]
# The database is new, so the key that makes the calls is the first one in it.
OWN_KEY = 1
NOT_A_KEY = 2**62

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
VALID_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
numbers = itertools.count()


@schemathesis.check
def own_key_is_accepted(ctx, response, case):
    """It may do everything. Other checks are content with a refusal and would not notice."""
    own = response.request.headers.get("X-API-Key") == OWN_VALUE
    if own and response.status_code in (401, 403):
        assert response.json()["code"] == "user_blocked", "the run has lost its key"


# What a schema cannot say: it knows neither what is stored, nor how two fields stand to each
# other, nor bytes, and a format is a remark in it and not a rule.
BEYOND_A_SCHEMA = re.compile(
    "has already been taken"
    "|is not the id of .*"
    "|must be at least .* in this currency"
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
    "|must not be after (end_date|created_to)"
    "|must not be repeated"
    "|must not be true together with .*"
    "|must not be the item itself or one below it"
    "|must be .* bytes long"
    "|must be a moment in ISO 8601.*"
    "|must be a date such as .*"
    "|must be an email address"
    "|must be a network such as .*"
    "|must be before to"
    "|must be at least .*, for at most 2000 points"
    "|must come from a Link header.*"
    "|must be a cursor out of a Link header"
)
STATES_THAT_REFUSE = {
    "has_children",
    "invalid_credentials",
    "invoice_paid",
    # No packet leaves here for wherever schemathesis imagines a server.
    "server_query_off",
    "session_invalid",
}


@schemathesis.check
def what_the_schema_allows_is_accepted(ctx, response, case):
    """Does the part of positive_data_acceptance that concerns 422, with an eye for the reason."""
    allowed = case.meta is not None and case.meta.generation.mode.is_positive
    if not allowed or response.status_code != 422:
        return
    body = response.json()
    if body["code"] in STATES_THAT_REFUSE:
        return
    faults = body.get("errors", {"": [body["message"]]})
    for field, sentences in faults.items():
        # Only the content of an image has fields of its own, and what is one its type says.
        if field.startswith("content."):
            continue
        for sentence in sentences:
            assert BEYOND_A_SCHEMA.fullmatch(sentence), f"{field} {sentence}"


@schemathesis.hook
def before_call(context, case, kwargs):
    keep_headers_to_http(case)
    spare_own_key(case)
    use_idempotency_key_once(case)


def keep_headers_to_http(case):
    """Control characters are no HTTP: such a request is refused before anybody can answer it.

    What a response holds as a number is put into headers of later requests as it is.
    """
    for name, value in case.headers.items():
        if not isinstance(value, bytes):
            case.headers[name] = CONTROL.sub("", str(value))


def spare_own_key(case):
    """A run that deletes its own key, or takes its rights away, learns nothing more."""
    own = str(case.path_parameters.get("id", "")).lstrip("0") == str(OWN_KEY)
    if own and case.method != "GET" and case.path.startswith("/api/api-keys/"):
        case.path_parameters["id"] = NOT_A_KEY


def use_idempotency_key_once(case):
    """Sent again with another request, a value is refused by contract, valid as it is."""
    value = case.headers.get("Idempotency-Key")
    if isinstance(value, str) and VALID_IDEMPOTENCY_KEY.fullmatch(value):
        number = f"-{next(numbers)}"
        case.headers["Idempotency-Key"] = value[: 255 - len(number)] + number
