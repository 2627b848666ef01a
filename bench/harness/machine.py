"""The time, machine and commit of a run, for the report."""

import datetime
import os
import pathlib
import platform
import subprocess

from .processes import ROOT


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    memory = pathlib.Path("/proc/meminfo").read_text().split()[1]
    model = f" ({models[0]})" if models else ""
    gib = int(memory) / (1 << 20)
    return f"{os.cpu_count()} cores{model}, {gib:.0f} GiB, Linux {platform.release()}"


def commit():
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return f"commit {found.stdout.strip()}" if found.returncode == 0 else "no commit"
