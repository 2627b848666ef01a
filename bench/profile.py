#!/usr/bin/env python3
"""Where the processor's time goes while an operation is measured.

Samples the service (with perf, of which only the clock is needed) under the
load that `make bench` puts on it, and adds the samples up by part of the
program. Takes the release build as it is, and a database that run.py has
filled and kept.

usage: bench/profile.py FOLDER OPERATION [--engine ENGINE] [--connections N]
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from harness import data, load
from harness.operations import by_name
from harness.processes import Failed
from run import FULL_SIZES

SECONDS = 4
SAMPLES_A_SECOND = 1999

# The first that fits; a frame of the kernel counts for the call that it was entered by.
PARTS = (
    ("kernel: reading files", r"__x64_sys_pread64|__x64_sys_read\b"),
    ("kernel: writing files", r"__x64_sys_pwrite64|__x64_sys_fsync|__x64_sys_fdatasync"),
    ("kernel: sending", r"writev|__x64_sys_sendto|__x64_sys_sendmsg"),
    ("kernel: receiving", r"__x64_sys_recvfrom|__x64_sys_recvmsg"),
    ("kernel: locks of files", r"__x64_sys_fcntl"),
    ("kernel: waiting and waking", r"__x64_sys_futex|__x64_sys_epoll|schedule"),
    ("kernel: the rest", r"\[k\]"),
    ("SHA-256", r"sha2::"),
    ("JSON", r"serde"),
    ("HTTP: hyper", r"hyper|httparse|http::|http_body"),
    ("HTTP: axum, tower", r"axum|tower|matchit"),
    ("PostgreSQL's protocol", r"tokio_postgres|postgres_protocol|postgres_types|deadpool"),
    ("tokio", r"tokio|mio::|futures_"),
    ("formatting, the log line", r"tracing|steward::logging|core::fmt|alloc::fmt"),
    ("metrics", r"metrics|quanta"),
    ("rusqlite, db", r"rusqlite|db::"),
    ("handlers and slices", r"server::"),
    ("memory: allocating, freeing", r"\bmi_|_mi_|malloc|\bfree\b|_int_free|realloc|\bcfree"),
    ("copying", r"memmove|memcpy|memset|memcmp"),
    ("the clock", r"clock_gettime|vdso"),
    ("the standard library", r"core::|alloc::|std::|hashbrown|foldhash|bytes::|__rust"),
    ("SQLite", r"steward\b"),
    ("libc", r"libc\.so"),
)


def sampled(pid, folder, drive):
    """Stacks, innermost frame first, of what the process did meanwhile."""
    file = folder / "perf.data"
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_A_SECOND), "-g"]
    try:
        recorder = subprocess.Popen(
            [*record, "-p", str(pid), "-o", file, "--", "sleep", str(SECONDS)]
        )
    except FileNotFoundError:
        raise Failed("there is no perf; Debian has it in linux-perf") from None
    time.sleep(0.2)
    drive()
    if recorder.wait() != 0:
        raise Failed("perf could not sample the service")
    fields = ["perf", "script", "-i", file, "-F", "ip,sym,dso"]
    text = subprocess.run(fields, capture_output=True, text=True, check=True).stdout
    return [stack.strip().splitlines() for stack in text.split("\n\n") if stack.strip()]


def part_of(stack):
    """What a sample counts for."""
    innermost = stack[0]
    if "kernel" in innermost:
        innermost = "[k] " + " ".join(frame for frame in stack if "kernel" in frame)
    for name, pattern in PARTS:
        if re.search(pattern, innermost):
            return name
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="what run.py was given as --keep")
    parser.add_argument("operation", help="as report.md calls it")
    parser.add_argument("--engine", choices=data.ENGINES, default="sqlite")
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    size = FULL_SIZES[-1]
    engine = data.ENGINES[options.engine](options.folder)
    try:
        with data.serve(engine, size) as service, tempfile.TemporaryDirectory() as folder:
            known = by_name(service, size)[1]
            if options.operation not in known:
                raise Failed("there is no such operation; there are: " + ", ".join(known))
            operation = known[options.operation]

            def drive():
                values = operation.values(service)
                load.drive(
                    service, operation.requests, values, options.connections, SECONDS, 0.1
                )

            stacks = sampled(service.process.pid, pathlib.Path(folder), drive)
    finally:
        engine.stop()
    parts = collections.Counter(map(part_of, stacks))
    for name, count in parts.most_common():
        print(f"| {name} | {100 * count / len(stacks):.0f} % |")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"profile.py: {failed}")
