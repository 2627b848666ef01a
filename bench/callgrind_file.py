"""Parses the output file of callgrind: the instructions of each function."""

import collections
import re


def parse_costs(file):
    """The instructions of each function, excluding and including the functions it calls.

    callgrind_annotate is wrong about the exclusive count: in a dump of a running program it adds
    calls that have not returned to the caller's own cost.
    """
    exclusive, inclusive = collections.Counter(), collections.Counter()
    names = {}
    function, is_call = None, False
    for line in file.open():
        if line.startswith(("fn=", "cfn=")):
            # The first time, a name has a number and a string, afterwards only the number.
            number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line).groups()
            names[number] = name or names[number]
            if line.startswith("fn="):
                function = names[number]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[-+*\d]", line):
            count = int(line.split()[1])
            inclusive[function] += count
            if not is_call:
                exclusive[function] += count
            is_call = False
    return exclusive, inclusive
