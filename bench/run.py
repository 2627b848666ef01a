"""Measures the service and writes bench/report.md; `make bench` runs it.

Builds the programs, fills databases of three sizes on SQLite and PostgreSQL, and
drives the service, a bare axum server and a program written by hand in turn.
Results are stored in target/bench, so that parts can be measured again without
the rest.

usage: python3 bench/run.py [--help]
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import signal
import sys
import tempfile
import time

import export
import live
from harness import load, parts, report
from harness.data import Size
from harness.machine import commit, machine, now
from harness.processes import ROOT, Failed, build

FULL_SIZES = (Size(10_000, 10_000), Size(100_000, 500_000), Size(1_000_000, 5_000_000))
QUICK_SIZES = (Size(1_000, 1_000), Size(5_000, 10_000), Size(20_000, 50_000))
STANDALONE = ("live", "export")


class Bench:
    """The settings of a run, its results so far, and its output."""

    def __init__(self, options, folder):
        self.folder = folder
        self.match = options.match
        self.sizes = QUICK_SIZES if options.quick else FULL_SIZES
        self.pace = load.QUICK if options.quick else load.FULL
        if options.rounds:
            self.pace = dataclasses.replace(
                self.pace, rounds=options.rounds, burst_rounds=options.rounds
            )
        self.began, self.when = time.monotonic(), now()
        self.output = ROOT / "target/bench/quick" if options.quick else ROOT / "bench"
        self.file = ROOT / "target/bench" / ("quick.json" if options.quick else "results.json")
        self.results = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.failures = 0

    def say(self, words):
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        print(f"{minutes:3}:{seconds:02}  {words}", flush=True)

    def step(self, engine, number, of, what, found):
        self.say(f"{engine.title} {number}/{of}  {what}: {found}")

    def is_selected(self, name):
        return self.match is None or self.match in name

    def attempt(self, what, work):
        """Runs `work`. A failure is printed and recorded for the report, and the run continues."""
        try:
            return work()
        except Exception as error:
            self.failures += 1
            reason = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
            self.say(f"FAILED  {what}: {reason}")
            return {"error": reason}

    def note(self, engine, what, fact):
        self.results.setdefault(engine.name, {})[what] = fact

    def keep(self, name, part, found):
        """Stores the results of a part immediately, so that they survive an aborted run."""
        of = self.results.setdefault(name, {})
        of.setdefault("failed", {}).pop(part, None)
        if "error" in found:
            of.pop(part, None)
            of["failed"][part] = found["error"]
        elif self.match is None:
            of[part] = found
        else:
            of.setdefault(part, {}).update(found)
        of.setdefault("when", {})[part] = self.when
        self.save()

    def save(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.results, indent=1))

    def write_report(self):
        self.save()
        self.output.mkdir(parents=True, exist_ok=True)
        report.write(self.results, self.output)
        self.say(f"written: {(self.output / 'report.md').relative_to(ROOT)}")


def about(bench):
    pace = bench.pace
    # Leave local paths out of the report.
    words = [word.replace(str(bench.folder), "FOLDER") for word in sys.argv[1:]]
    return {
        "command": shlex.join(["python3", "bench/run.py", *words]),
        "when": bench.when,
        "commit": commit(),
        "machine": machine(),
        "load": f"{os.getloadavg()[0]:.2f}",
        "pace": f"Numbers are medians over rounds: {pace.rounds}. In each round the service was "
        f"measured for {pace.service:g} s and right after it the limit for {pace.limit:g} s and the "
        "program by hand for as long as the service.",
    }


def select_parts(words):
    """The parts to measure: `sqlite`, `postgres.sizes`, `live` and the like."""
    everything = [f"{engine}.{part}" for engine, of in parts.OF_ENGINE.items() for part in of]
    everything += STANDALONE
    found = []
    for word in words:
        matching = [name for name in everything if name == word or name.startswith(f"{word}.")]
        if not matching:
            raise SystemExit(f"run.py: unknown part {word}; the parts are {', '.join(everything)}")
        found += matching
    return [name for name in everything if name in found]


def measure(bench, selected):
    for engine in parts.OF_ENGINE:
        of_engine = [name.split(".")[1] for name in selected if name.startswith(f"{engine}.")]
        if of_engine:
            parts.measure(engine, of_engine, bench)
    for name, module in (("live", live), ("export", export)):
        if name in selected:
            bench.say(f"measuring {name}")
            found = bench.attempt(name, lambda: {"text": module.measure(bench.say)})
            bench.results.setdefault(name, {}).update(found)
            bench.keep(name, "text", found if "error" in found else found["text"])


def arguments():
    every_part = ["sqlite", "postgres", *STANDALONE]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true",
                        help="small databases and short rounds, to test the benchmark itself; "
                        "the report goes to target/bench/quick")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="keep the filled databases here, and use existing ones")
    parser.add_argument("--only", nargs="+", metavar="PART",
                        help="measure only these parts, such as sqlite, postgres.operations, live; "
                        "the report takes the rest from the last run")
    parser.add_argument("--match", metavar="TEXT",
                        help="measure only operations and sizes whose name contains this")
    parser.add_argument("--rounds", type=int, metavar="NUMBER",
                        help=f"how often to measure each (default {load.FULL.rounds})")
    parser.add_argument("--report", action="store_true",
                        help="measure nothing, rewrite the report from the last results")
    options = parser.parse_args()
    if options.only is None:
        # A quick run leaves out the standalone programs.
        options.only = ["sqlite", "postgres"] if options.quick else every_part
    return options, select_parts(options.only)


def main():
    options, selected = arguments()
    # Exit normally, so that processes are stopped and temporary files removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="steward-bench-"))
    is_ours = options.keep is None or not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    if is_ours:
        # PostgreSQL runs as a different user.
        folder.chmod(0o755)
    bench = Bench(options, folder)
    try:
        if not options.report:
            bench.results["about"] = about(bench)
            bench.say("building")
            build()
            measure(bench, selected)
        elif "about" not in bench.results:
            raise SystemExit("run.py: there are no results yet")
        bench.write_report()
    except Failed as error:
        raise SystemExit(f"run.py: {error}") from None
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if bench.failures:
        raise SystemExit(f"run.py: {bench.failures} measurements failed; the report names them")


if __name__ == "__main__":
    main()
