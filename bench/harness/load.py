"""Drives a server with the load generator, and compares it with the limit."""

import dataclasses
import json
import statistics
import subprocess
import time

from .processes import PROGRAMS, Failed

SEED = 42


@dataclasses.dataclass(frozen=True)
class Pace:
    """How long, in seconds, and how often to measure."""

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
    """Runs the load generator and returns its results. An unexpected answer is a failure."""
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
    """The same requests for the limit, which answers with as many bytes. Requests of a mix that
    were never sent have size 0 and are left out."""
    return [
        {**request, "path": f"/{size}", "status": 200}
        for request, size in zip(requests, sizes)
        if size > 0
    ]


def compare(engine, service, limit, operation, connections, pace):
    """Measures service and limit in turn, round by round, and returns the medians."""
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
            }
        )
    return medians(rounds)


def medians(rounds):
    """The median of each value; for the ratio also the lowest and the highest."""
    values = {name: statistics.median(row[name] for row in rounds) for name in rounds[0]}
    if "ratio" in values:
        values["ratio_low"] = min(row["ratio"] for row in rounds)
        values["ratio_high"] = max(row["ratio"] for row in rounds)
    return values


def unused_number():
    """Where to count from, so that no two runs create the same names."""
    return time.time_ns() // 1000
