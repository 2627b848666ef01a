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
    assert not own or response.status_code not in (401, 403), "the run has lost its key"


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
