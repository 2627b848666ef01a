"""Measures how long the pages of the console take until they are usable.

Fills a database (a kept one is used again), serves it with the console, and opens
the dashboard and every list in Chromium. Prints the median of five openings of
each page as a table in Markdown, and fails if one is above a second. Uses 127.0.0.1
only.

usage: python3 bench/console.py FOLDER [USERS INVOICES] [sqlite|postgres]
       (default 1000000 users and 5000000 invoices, sqlite)
"""

import os
import pathlib
import subprocess
import sys

from harness import data
from harness.processes import KEY, ROOT, Failed


def main():
    words = sys.argv[1:]
    kind = words.pop() if words and words[-1] in data.ENGINES else "sqlite"
    if len(words) not in (1, 3):
        sys.exit(__doc__)
    folder, *numbers = words
    size = data.Size(*(int(number) for number in numbers or (1_000_000, 5_000_000)))
    engine = data.ENGINES[kind](pathlib.Path(folder).absolute())
    try:
        data.fill(engine, size, lambda text: print(text, file=sys.stderr))
        with data.serve(engine, size) as service:
            variables = {"STEWARD_URL": f"http://{service.address}", "STEWARD_API_KEY": KEY}
            command = [ROOT / "scripts/node", "npm", "--prefix", ROOT / "console", "run", "opening"]
            done = subprocess.run(command, env=os.environ | variables, check=False)
    except Failed as error:
        sys.exit(f"console: {error}")
    finally:
        engine.stop()
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
