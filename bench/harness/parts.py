"""The parts of a run on one engine. Each can be measured separately."""

import contextlib
import statistics
import time

from . import by_hand, data, load, processes
from .operations import CREATE_USER, USERS_AT_ONCE, by_name, create

# The operations that are also measured at the middle size, with their numbers of connections.
MIDDLE = {
    "read one user with its roles": (32,),
    "list users, page 1": (32,),
    "list invoices, page 1": (32,),
    "create a role": (32, 64),
    "create an invoice": (32, 64),
    "check a ban": (32,),
}
# The numbers of connections that read while users are created.
HASHING_CONNECTIONS = (1, 32)
MIX_SECONDS = 5


def operations(engine, bench):
    """Measures every operation at the largest size, service, limit and program by hand in turn."""
    summary, results = compare_all(
        engine, bench, bench.sizes[-1], lambda operation: operation.connections
    )
    bench.note(engine, "data", summary)
    return results


def middle(engine, bench):
    """Measures the operations that have targets at the size of a large community."""
    _, results = compare_all(
        engine, bench, bench.sizes[1], lambda operation: MIDDLE.get(operation.name, ())
    )
    return results


def compare_all(engine, bench, size, connections_of):
    """Compares operations with the limit and the program by hand, with the connections that
    `connections_of` returns. Also returns the facts about the database."""
    results = {}
    with contextlib.ExitStack() as stack:
        limit = stack.enter_context(processes.limit())
        service = data.serve(engine, size)
        try:
            # After the service, which stores the key.
            hand = stack.enter_context(processes.by_hand(engine.url(size)))
            facts, known = by_name(service, size)
            # The service must still be running.
            summary = facts.summary()
            steps = [
                (operation, connections)
                for operation in known.values()
                for connections in connections_of(operation)
                if bench.is_selected(operation.name)
            ]
            for number, (operation, connections) in enumerate(steps, 1):
                if not service.alive():
                    service = data.serve(engine, size)
                what = f"{operation.name}, connections: {connections}"

                def compared():
                    if operation.samples:
                        by_hand.check(service, hand, operation)
                    return load.compare(
                        engine, service, limit, hand, operation, connections, bench.pace
                    )

                row = bench.attempt(f"{engine.title}, {what}", compared)
                results.setdefault(operation.name, {})[str(connections)] = row
                bench.step(engine, number, len(steps), what, describe(row))
        finally:
            service.stop()
    return summary, results


def describe(row):
    if "error" in row:
        return "FAILED"
    shown = f"{row['per_second']:,.0f}/s, p50 {row['p50']:,.0f} us, {row['ratio']:.2f} of the limit"
    return shown + (f", {row['hand_ratio']:.2f} of by hand" if "hand_ratio" in row else "")


def sizes(engine, bench):
    """Measures every read at all sizes in turn, with one connection."""
    services, results = {}, {}
    try:
        known, common = {}, None
        for size in bench.sizes:
            services[size] = data.serve(engine, size)
            # Search for the same term at every size.
            facts, known[size] = by_name(services[size], size, common)
            common = facts.common
        names = [
            name
            for name, operation in known[bench.sizes[-1]].items()
            if operation.is_read and bench.is_selected(name)
        ]
        for number, name in enumerate(names, 1):

            def medians():
                times = {size: [] for size in bench.sizes}
                for _ in range(bench.pace.rounds):
                    for size, service in services.items():
                        operation = known[size][name]
                        got = load.drive(
                            service,
                            operation.requests,
                            operation.values(service),
                            1,
                            bench.pace.sizes,
                            bench.pace.warm_up / 2,
                        )
                        times[size].append(got["p50"])
                return {
                    "group": known[bench.sizes[-1]][name].group,
                    "p50": {str(size): statistics.median(found) for size, found in times.items()},
                }

            row = bench.attempt(f"{engine.title}, sizes, {name}", medians)
            results[name] = row
            shown = "FAILED" if "error" in row else " / ".join(
                f"{time:,.0f}" for time in row["p50"].values()
            )
            bench.step(engine, number, len(names), name, f"p50 {shown} us")
    finally:
        with contextlib.ExitStack() as stack:
            for service in services.values():
                stack.callback(service.stop)
    return results


def creates(engine, bench):
    """Measures durable writes at 64 connections, with and without group commit in turn."""
    size, connections = bench.sizes[-1], 64
    results = {}
    data_dir = engine.data_dir(size)
    with data.serve(engine, size) as grouped, processes.one_at_a_time(data_dir) as alone:
        _, known = by_name(grouped, size)
        writes = [operation for operation in known.values() if operation.group == "writes"]
        for number, operation in enumerate(writes, 1):

            def compared():
                rounds = []
                for _ in range(bench.pace.rounds):
                    row = {}
                    for name, service in (("grouped", grouped), ("alone", alone)):
                        values = operation.values(service)
                        got = load.drive(
                            service, operation.requests, values, connections,
                            bench.pace.service, bench.pace.warm_up,
                        )
                        row[name] = got["per_second"]
                    row["ratio"] = row["grouped"] / row["alone"]
                    rounds.append(row)
                return load.medians(rounds)

            row = bench.attempt(f"{engine.title}, {operation.name} in groups", compared)
            results[operation.name] = row
            shown = "FAILED" if "error" in row else f"{row['ratio']:.2f} times one at a time"
            bench.step(engine, number, len(writes), f"{operation.name} in groups", shown)
    return results


def start(engine, bench):
    """Measures the time from start to first answer, and the idle memory."""
    size = bench.sizes[-1]
    times, memory = [], []
    for _ in range(bench.pace.starts):
        began = time.perf_counter()
        with data.serve(engine, size) as service:
            service.get("/api/status")
            times.append((time.perf_counter() - began) * 1e3)
            time.sleep(0.5)
            memory.append(service.memory_mib())
    bench.step(engine, 1, 1, "start", f"{statistics.median(times):.0f} ms to the first answer")
    return {
        "milliseconds": statistics.median(times),
        "slowest": max(times),
        "starts": len(times),
        "idle_mib": statistics.median(memory),
    }


def memory(engine, bench):
    """Measures the peak memory of a newly started service under the mix."""
    size, connections = bench.sizes[-1], 256
    with data.serve(engine, size) as service:
        mix = by_name(service, size)[1]["a mix of 95 % reads"]
        before = service.memory_mib("VmHWM")
        got = load.drive(
            service, mix.requests, mix.values(service), connections, MIX_SECONDS, bench.pace.warm_up
        )
        peak = service.memory_mib("VmHWM")
    bench.step(engine, 1, 1, "memory under the mix", f"{peak:.1f} MiB at most")
    return {"before_mib": before, "peak_mib": peak, "per_second": got["per_second"]}


def hashing(engine, bench):
    """Measures reads with and without many users being created concurrently."""
    size = bench.sizes[-1]
    results = {}
    with data.serve(engine, size) as service:
        read = by_name(service, size)[1]["read one user with its roles"]
        burst = {"count": USERS_AT_ONCE, "request": create(*CREATE_USER)}
        for number, connections in enumerate(HASHING_CONNECTIONS, 1):

            def compared():
                rounds = []
                for _ in range(bench.pace.burst_rounds):
                    quiet, during = (
                        load.drive(
                            service, read.requests, read.values(service), connections,
                            1.5 * bench.pace.service, bench.pace.warm_up, extra,
                        )
                        for extra in (None, burst)
                    )
                    rounds.append(
                        {
                            "quiet_p99": quiet["p99"],
                            "p99": during["p99"],
                            "ratio": during["p99"] / quiet["p99"],
                            "quiet_p50": quiet["p50"],
                            "p50": during["p50"],
                            "max": during["max"],
                            "seconds": during["seconds"],
                        }
                    )
                return load.medians(rounds)

            what = f"reads while {USERS_AT_ONCE} users are created, connections: {connections}"
            row = bench.attempt(f"{engine.title}, {what}", compared)
            results[str(connections)] = row
            shown = "FAILED" if "error" in row else f"p99 {row['ratio']:.1f} times the quiet one"
            bench.step(engine, number, len(HASHING_CONNECTIONS), what, shown)
    return results


PARTS = {
    "start": start,
    "sizes": sizes,
    "middle": middle,
    "operations": operations,
    "creates": creates,
    "memory": memory,
    "hashing": hashing,
}
# PostgreSQL has its own group commit, so there is nothing to compare.
OF_ENGINE = {
    "sqlite": list(PARTS),
    "postgres": [name for name in PARTS if name != "creates"],
}


def measure(name, parts, bench):
    """Measures these parts on one engine. A failure is recorded, and the rest continues."""
    engine = bench.attempt(name, lambda: data.ENGINES[name](bench.folder))
    if isinstance(engine, dict):
        give_up(name, parts, bench, engine)
        return
    try:
        needed = [size for size in bench.sizes if is_needed(size, parts, bench.sizes)]
        for size in needed:
            what = f"{engine.title}, {size.title}"
            failed = bench.attempt(what, lambda: data.fill(engine, size, bench.say))
            if failed:
                give_up(name, parts, bench, failed)
                return
        bench.note(engine, "version", engine.version(needed[-1]))
        for part in parts:
            what = f"{engine.title}, {part}"
            bench.keep(name, part, bench.attempt(what, lambda: PARTS[part](engine, bench)))
    finally:
        engine.stop()


def is_needed(size, parts, sizes):
    """Whether any of the parts measures the database of this size."""
    if "sizes" in parts:
        return True
    if size == sizes[1]:
        return "middle" in parts
    return size == sizes[-1] and parts != ["middle"]


def give_up(name, parts, bench, failed):
    for part in parts:
        bench.keep(name, part, failed)
