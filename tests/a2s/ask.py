"""Queries a game server with python-a2s and prints its answer as JSON.

Usage: ask.py ADDRESS PORT TIMEOUT   the seconds to wait for each packet
"""

import json
import sys

import a2s

address = (sys.argv[1], int(sys.argv[2]))
timeout = int(sys.argv[3])
try:
    info = a2s.info(address, timeout=timeout)
    players = a2s.players(address, timeout=timeout) if info.player_count else []
    answer = {
        "name": info.server_name,
        "map": info.map_name,
        "version": info.version,
        "players_online": info.player_count,
        "max_players": info.max_players,
        "players": [
            {"name": player.name, "score": player.score, "seconds": int(player.duration)}
            for player in players
        ],
    }
except Exception as error:
    answer = {"error": type(error).__name__}
json.dump(answer, sys.stdout)
