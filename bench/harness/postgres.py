"""A private PostgreSQL server with durable commits."""

import pathlib
import shutil
import subprocess

from .processes import ROOT, Failed, cpu_seconds, run


class Cluster:
    """Runs while its standard input is open, so that it stops even if this program is killed."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        hold = 'echo "$STEWARD_TEST_POSTGRES"; exec cat'
        self.process = subprocess.Popen(
            [ROOT / "scripts/with-postgres", "--durable", folder, "sh", "-c", hold],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        url = self.process.stdout.readline().strip()
        if not url:
            raise Failed("PostgreSQL did not start; see above")
        self.base = url.rsplit("/", 1)[0]
        self.postmaster = int((folder / "data/postmaster.pid").read_text().split()[0])

    def url(self, database):
        return f"{self.base}/{database}"

    def sql(self, statement, database="postgres"):
        command = [psql(), "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url(database)]
        return run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE).strip()

    def cpu_seconds(self):
        """The processor time of all its processes. The postmaster's includes that of ended ones."""
        total = cpu_seconds(self.postmaster, children=True)
        listed = pathlib.Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children")
        for child in listed.read_text().split():
            try:
                total += cpu_seconds(child)
            except FileNotFoundError:
                pass
        return total

    def stop(self):
        self.process.stdin.close()
        self.process.wait(120)
        self.process.stdout.close()


def psql():
    """Finds psql on the path or next to the server's programs."""
    binaries = run([ROOT / "scripts/postgres-bin"], stdout=subprocess.PIPE).strip()
    found = shutil.which("psql") or shutil.which("psql", path=binaries)
    if not found:
        raise Failed("there is no psql; run scripts/setup bench")
    return found
