"""Reads where instructions were spent out of a file that callgrind wrote."""

import collections
import re


def spent(file):
    """What each function cost by itself, and what with all that it calls.

    callgrind_annotate does not do for the first: in a file of a program that goes on running it
    takes the calls that have not returned for costs of the caller.
    """
    by_itself, with_calls = collections.Counter(), collections.Counter()
    names = {}
    function, is_call = None, False
    for line in file.open():
        if line.startswith(("fn=", "cfn=")):
            # A name is spelt out the first time, and a number afterwards.
            number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line).groups()
            names[number] = name or names[number]
            if line.startswith("fn="):
                function = names[number]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[-+*\d]", line):
            count = int(line.split()[1])
            with_calls[function] += count
            if not is_call:
                by_itself[function] += count
            is_call = False
    return by_itself, with_calls
