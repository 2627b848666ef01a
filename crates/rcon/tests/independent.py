"""Runs commands on the test server with an independent RCON client.

usage: independent.py valve|minecraft PORT
"""

import sys

HOST, PASSWORD, WRONG = "127.0.0.1", "hunter2", "hunter3"


def valve(port):
    from valve.rcon import RCON, RCONAuthenticationError

    with RCON((HOST, port), PASSWORD, timeout=10) as rcon:
        answers = [rcon(command) for command in COMMANDS]
    try:
        with RCON((HOST, port), WRONG, timeout=10):
            return answers, False
    except RCONAuthenticationError:
        return answers, True


def minecraft(port):
    from rcon.exceptions import WrongPassword
    from rcon.source import Client

    with Client(HOST, port, passwd=PASSWORD, timeout=10) as client:
        answers = [client.run(command) for command in COMMANDS]
    try:
        with Client(HOST, port, passwd=WRONG, timeout=10):
            return answers, False
    except WrongPassword:
        return answers, True


COMMANDS = ["echo hello", "fill 20000", "nothing"]

name, port = sys.argv[1:]
answers, refused = {"valve": valve, "minecraft": minecraft}[name](int(port))
assert answers == ["hello", "0123456789abcdef" * 1250, ""], answers
assert refused, "a wrong password was accepted"
