"""Drives a server with the load generator, and compares it with others."""

import dataclasses
import json
import statistics
import subprocess
import time

from .processes import PROGRAMS, Failed

SEED = 42


@dataclasses.dataclass(frozen=True)
class Pace:
    """The number of rounds, and the seconds to measure in each."""

    rounds: int
    service: float
    limit: float
    sizes: float
    warm_up: float
    burst_rounds: int
    starts: int


FULL = Pace(rounds=3, service=1.0, limit=0.4, sizes=0.2, warm_up=0.12, burst_rounds=5, starts=9)
QUICK = Pace(rounds=1, service=0.2, limit=0.1, sizes=0.05, warm_up=0.03, burst_rounds=1, starts=2)


def drive(server, requests, values, connections, seconds, warm_up, burst=None, rate=None):
    """Runs the load generator and returns its results. Fails on an unexpected answer. `rate` is the
    number of requests a second; without it, there are as many as the server answers."""
    credentials = [f"{name}: {value}" for name, value in server.credentials.items()]
    spec = {
        "address": server.address,
        "connections": connections,
        "warm_up": warm_up,
        "seconds": seconds,
        "seed": SEED,
        "headers": [*credentials, "Accept: application/json"],
        "requests": requests,
        "values": values,
        "burst": burst,
        "per_second": rate,
    }
    try:
        done = subprocess.run(
            [PROGRAMS / "bench-load"],
            input=json.dumps(spec),
            capture_output=True,
            text=True,
            timeout=seconds + 120,
        )
    except subprocess.TimeoutExpired:
        raise Failed("the load generator did not end") from None
    if done.returncode != 0:
        try:
            reasons = json.loads(done.stdout)["messages"]
        except ValueError:
            reasons = []
        raise Failed("; ".join([done.stderr.strip(), *reasons[:2]]))
    return json.loads(done.stdout)


def requests_to_limit(requests, sizes):
    """The requests for the limit, which answers with as many bytes. Requests of a mix that were
    never sent have size 0 and are left out."""
    return [
        {**request, "path": f"/{size}", "status": 200}
        for request, size in zip(requests, sizes)
        if size > 0
    ]


def compare(engine, service, limit, by_hand, operation, connections, pace):
    """Measures the service, the limit and the program by hand in turn, round by round, and returns
    the medians."""
    rounds = []
    for _ in range(pace.rounds):
        values = operation.values(service)
        cpu = service.cpu_seconds()
        database = engine.cluster.cpu_seconds() if engine.cluster else 0
        got = drive(
            service, operation.requests, values, connections, pace.service, pace.warm_up
        )
        cpu = service.cpu_seconds() - cpu
        database = (engine.cluster.cpu_seconds() if engine.cluster else 0) - database
        same = requests_to_limit(operation.requests, got["bytes"])
        limit_cpu = limit.cpu_seconds()
        most = drive(limit, same, values, connections, pace.limit, pace.warm_up)
        limit_cpu = limit.cpu_seconds() - limit_cpu
        rounds.append(
            {
                **{name: got[name] for name in ("per_second", "p50", "p99", "max")},
                "bytes": statistics.mean(got["bytes"]),
                "ratio": got["per_second"] / most["per_second"],
                "limit_per_second": most["per_second"],
                "cpu": cpu * 1e6 / got["all_requests"],
                "limit_cpu": limit_cpu * 1e6 / most["all_requests"],
                "database_cpu": database * 1e6 / got["all_requests"],
                "memory": service.memory_mib(),
                **to_by_hand(got, by_hand, operation, connections, pace),
            }
        )
    return medians(rounds)


def to_by_hand(got, by_hand, operation, connections, pace):
    """The results of the program by hand, if it has the operation, and the ratios to them. It is
    measured for as long as the service, so that checkpoints disturb both alike."""
    if not operation.samples:
        return {}
    values = operation.values(by_hand)
    hand = drive(by_hand, operation.requests, values, connections, pace.service, pace.warm_up)
    return {
        "hand_ratio": got["per_second"] / hand["per_second"],
        "hand_per_second": hand["per_second"],
        "hand_p99": hand["p99"],
        "hand_p99_ratio": got["p99"] / hand["p99"],
    }


def medians(rounds):
    """The median of each value, and the lowest and the highest of each ratio."""
    values = {name: statistics.median(row[name] for row in rounds) for name in rounds[0]}
    for name in ("ratio", "hand_ratio"):
        if name in values:
            values[f"{name}_low"] = min(row[name] for row in rounds)
            values[f"{name}_high"] = max(row[name] for row in rounds)
    return values


def unused_number():
    """A number to count from, so that no two runs create the same names."""
    return time.time_ns() // 1000
