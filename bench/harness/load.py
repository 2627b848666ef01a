"""Drives a server with the load generator, and compares it with the limit."""

import dataclasses
import json
import statistics
import subprocess
import time

from .processes import KEY, RELEASE, Failed

SEED = 42


@dataclasses.dataclass(frozen=True)
class Pace:
    """How long and how often things are measured; seconds."""

    rounds: int
    service: float
    limit: float
    sizes: float
    warm_up: float
    burst_rounds: int
    starts: int


FULL = Pace(rounds=3, service=1.0, limit=0.4, sizes=0.2, warm_up=0.12, burst_rounds=5, starts=9)
QUICK = Pace(rounds=1, service=0.2, limit=0.1, sizes=0.05, warm_up=0.03, burst_rounds=1, starts=2)


def drive(server, requests, values, connections, seconds, warm_up, burst=None):
    """What the load generator measured. Anything but the expected answers is a failure."""
    spec = {
        "address": server.address,
        "connections": connections,
        "warm_up": warm_up,
        "seconds": seconds,
        "seed": SEED,
        "headers": [f"X-API-Key: {KEY}", "Accept: application/json"],
        "requests": requests,
        "values": values,
        "burst": burst,
    }
    try:
        done = subprocess.run(
            [RELEASE / "bench-load"],
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


def at_limit(requests, sizes):
    """The same requests, for a server that answers with as many bytes. Of a mix, some may not have
    been sent at all."""
    return [
        {**request, "path": f"/{size}", "status": 200}
        for request, size in zip(requests, sizes)
        if size > 0
    ]


def compare(engine, service, limit, operation, connections, pace):
    """Service and limit in turn, round by round; the medians."""
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
        same = at_limit(operation.requests, got["bytes"])
        most = drive(limit, same, values, connections, pace.limit, pace.warm_up)
        rounds.append(
            {
                **{name: got[name] for name in ("per_second", "p50", "p99", "max")},
                "bytes": statistics.mean(got["bytes"]),
                "ratio": got["per_second"] / most["per_second"],
                "limit_per_second": most["per_second"],
                "cpu": cpu * 1e6 / got["all_requests"],
                "database_cpu": database * 1e6 / got["all_requests"],
                "memory": service.memory_mib(),
            }
        )
    return medians(rounds)


def medians(rounds):
    """The median of each figure; of the ratio also how far the rounds were apart."""
    figures = {name: statistics.median(row[name] for row in rounds) for name in rounds[0]}
    for name in ("ratio",):
        if name in figures:
            figures[f"{name}_low"] = min(row[name] for row in rounds)
            figures[f"{name}_high"] = max(row[name] for row in rounds)
    return figures


def fresh_number():
    """Where to count from, so that no two runs make the same thing."""
    return time.time_ns() // 1000
