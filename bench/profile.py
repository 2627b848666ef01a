#!/usr/bin/env python3
"""Shows where the service spends processor time during an operation.

Samples the service with perf (its clock is enough) under the load of
`make bench`, and adds up the samples by part of the program. Uses the existing
published build, and a database that run.py has filled and kept.

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
# The kernel's image in perf's output, unlike our crate `kernel`.
KERNEL = "[kernel"

# The first match counts. A kernel frame counts for its system call.
PARTS = (
    ("kernel: reading files", r"__x64_sys_pread64|__x64_sys_read\b"),
    ("kernel: writing files", r"__x64_sys_pwrite64|__x64_sys_fsync|__x64_sys_fdatasync"),
    ("kernel: sending", r"writev|__x64_sys_sendto|__x64_sys_sendmsg"),
    ("kernel: receiving", r"__x64_sys_recvfrom|__x64_sys_recvmsg"),
    ("kernel: file locks", r"__x64_sys_fcntl"),
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
    ("handlers and slices", r"server::|kernel::"),
    ("memory: allocating, freeing", r"\bmi_|_mi_|malloc|\bfree\b|_int_free|realloc|\bcfree"),
    ("copying", r"memmove|memcpy|memset|memcmp"),
    ("the clock", r"clock_gettime|vdso"),
    ("the standard library", r"core::|alloc::|std::|hashbrown|foldhash|bytes::|__rust"),
    ("SQLite", r"steward\b"),
    ("libc", r"libc\.so"),
)


def sample(pid, folder, drive):
    """Samples the process while `drive` runs. Returns stacks, innermost frame first."""
    file = folder / "perf.data"
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_A_SECOND), "-g"]
    try:
        recorder = subprocess.Popen(
            [*record, "-p", str(pid), "-o", file, "--", "sleep", str(SECONDS)]
        )
    except FileNotFoundError:
        raise Failed("perf is missing; on Debian it is in the package linux-perf") from None
    time.sleep(0.2)
    drive()
    if recorder.wait() != 0:
        raise Failed("perf cannot sample the service")
    fields = ["perf", "script", "-i", file, "-F", "ip,sym,dso"]
    text = subprocess.run(fields, capture_output=True, text=True, check=True).stdout
    return [stack.strip().splitlines() for stack in text.split("\n\n") if stack.strip()]


def part_of(stack):
    """The part of the program that a sample belongs to."""
    innermost = stack[0]
    if KERNEL in innermost:
        innermost = "[k] " + " ".join(frame for frame in stack if KERNEL in frame)
    for name, pattern in PARTS:
        if re.search(pattern, innermost):
            return name
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder given to run.py as --keep")
    parser.add_argument("operation", help="its name in report.md")
    parser.add_argument("--engine", choices=data.ENGINES, default="sqlite")
    parser.add_argument("--connections", type=int, default=32)
    options = parser.parse_args()
    size = FULL_SIZES[-1]
    engine = data.ENGINES[options.engine](options.folder)
    try:
        with data.serve(engine, size) as service, tempfile.TemporaryDirectory() as folder:
            known = by_name(service, size)[1]
            if options.operation not in known:
                raise Failed("unknown operation; the operations are: " + ", ".join(known))
            operation = known[options.operation]

            def drive():
                values = operation.values(service)
                load.drive(
                    service, operation.requests, values, options.connections, SECONDS, 0.1
                )

            stacks = sample(service.process.pid, pathlib.Path(folder), drive)
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
