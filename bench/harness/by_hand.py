"""Checks that the program written by hand answers and stores what the service does."""

import datetime
import re

from .processes import Failed

# The values that differ between two writes of the same: ids, moments, and ids of requests.
OWN_VALUES = re.compile(rb'"(id|resource_id|at|created_at|request_id)":("[^"]*"|\d+)')


def check(service, by_hand, operation):
    """Fails unless both do the same with the operation's samples."""
    (request,) = operation.requests
    for sample in operation.samples:
        path, body = (fill(request.get(part), sample) for part in ("path", "body"))
        expected, found = (
            outcome(server, service, request, path, body) for server in (service, by_hand)
        )
        if expected != found:
            raise Failed(
                f"the program by hand differs in {request['method']} {path}: "
                f"{found} instead of {expected}"
            )


def fill(text, values):
    for name, value in values.items():
        text = text and text.replace(f"<{name}>", str(value))
    return text


def outcome(server, service, request, path, body):
    """The body of the answer. Of a write, also what it stores, as the service shows it."""
    if request["method"] == "GET":
        return exchange(server, "GET", path)
    before = list(sums(service))
    answer = exchange(server, "POST", path, body, request["status"])
    growth = [round(new - old, 4) for old, new in zip(before, sums(service), strict=True)]
    created = re.search(rb'"id":(\d+)', answer)[1].decode()
    resource = path.rsplit("/", 1)[1].replace("-", "_")
    entry = f"/api/audit-log?resource={resource}&resource_id={created}"
    stored = [exchange(service, "GET", of) for of in (f"{path}/{created}", entry)]
    return [OWN_VALUES.sub(rb'"\1":0', text) for text in (answer, *stored)], growth


def sums(service):
    """The payment statistics of all time and of today."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    for query in ("", f"?start_date={today}&end_date={today}"):
        stats = service.get(f"/api/payment-invoices/stats{query}")[0]["stats"]
        yield from (value for value in stats.values() if not isinstance(value, list))


def exchange(server, method, path, body=None, status=200):
    connection = server.connect()
    headers = {**server.credentials, "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    if reply.status != status:
        raise Failed(f"{method} {path} was answered with {reply.status}: {text[:300].decode()}")
    return text
