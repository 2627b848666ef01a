"""What the commands of the bot do, with a real service."""

import os
import threading
import unittest
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

import steward as api

NOW = datetime.now(timezone.utc)


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        self.steward = api.Steward(os.environ["STEWARD_URL"], os.environ["STEWARD_KEY"])

    def create_player(self, name: str, **fields: object) -> int:
        body = {"username": name, "email": f"{name}@example.com", "password": "correct horse"}
        user_id = self.steward.call("POST", "/api/users", body | fields)["user"]["id"]
        assert isinstance(user_id, int)
        return user_id

    def test_a_player_is_described_with_roles(self) -> None:
        role = self.steward.call("POST", "/api/roles", {"name": "Veteran"})["role"]["id"]
        self.create_player("anna", role_ids=[role])
        self.create_player("annabel")
        self.assertRegex(
            api.describe_player(self.steward, "Anna"),
            r"^anna: active, Veteran, here since \d{4}-\d\d-\d\d\.$",
        )
        self.assertIn("no roles", api.describe_player(self.steward, "annabel"))

    def test_a_product_is_given_once_and_the_player_shows_its_end(self) -> None:
        role = self.steward.call("POST", "/api/roles", {"name": "VIP"})["role"]["id"]
        currency = self.steward.call(
            "POST", "/api/currencies", {"code": "EUR", "exchange_rate": 1, "minimum_value": 1}
        )["currency"]["id"]
        self.steward.call(
            "POST",
            "/api/products",
            {"name": "VIP", "prices": [{"currency_id": currency, "amount": 5}],
             "steps": [{"kind": "role", "role_id": role, "seconds": 30 * 86400}]},
        )
        self.create_player("carla")
        for _ in range(2):
            text = api.give_product(self.steward, "carla", "vip", "Won a cup", "21")
            self.assertEqual(text, "carla gets VIP.")
        end = (datetime.now(timezone.utc) + timedelta(days=30)).date()
        self.assertIn(f"VIP until {end}", api.describe_player(self.steward, "carla"))
        text = api.give_product(self.steward, "carla", "Gold", "", "22")
        self.assertEqual(text, "There is no product called Gold.")

    def test_an_unknown_player_is_said_to_be_unknown(self) -> None:
        for name in ("nobody", "x"):
            expected = f"There is no player called {name}."
            self.assertEqual(api.describe_player(self.steward, name), expected)
            self.assertEqual(api.block_player(self.steward, name, "", None, "0", NOW), expected)
            self.assertEqual(api.unblock_player(self.steward, name, "0"), expected)

    def test_a_command_that_arrives_twice_blocks_once(self) -> None:
        user_id = self.create_player("ben")
        for _ in range(2):
            text = api.block_player(self.steward, "ben", "Spam", 7, "11", NOW)
            self.assertEqual(text, "ben is blocked for 7 days.")
        blocks = self.steward.call("GET", f"/api/users/{user_id}/blocks")["blocks"]
        self.assertEqual([block["reason"] for block in blocks], ["Spam"])
        until = datetime.fromisoformat(blocks[0]["until"])
        self.assertEqual(until, NOW.replace(microsecond=0) + timedelta(days=7))
        self.assertEqual(api.unblock_player(self.steward, "ben", "12"), "ben is not blocked.")
        self.assertIn("active", api.describe_player(self.steward, "ben"))

    def test_servers_have_a_line_each_unless_they_are_disabled(self) -> None:
        self.assertEqual(api.describe_servers(self.steward), "No server is enabled.")
        for name, enabled in (("Public", True), ("Spare", False)):
            self.steward.call(
                "POST",
                "/api/servers",
                {"name": name, "ip": "192.0.2.1", "port": 27015, "game": "cs2",
                 "rcon_password": "secret", "enabled": enabled},
            )
        self.assertEqual(
            api.describe_servers(self.steward), "Public: 0/0 on no map, 192.0.2.1:27015"
        )

    def test_an_error_has_a_message_for_people_and_a_code(self) -> None:
        with self.assertRaises(api.StewardError) as caught:
            api.describe_servers(api.Steward(self.steward.url, "wrong"))
        self.assertEqual((caught.exception.status, caught.exception.code), (401, "unauthorized"))


class Retries(unittest.TestCase):
    def test_a_busy_service_is_asked_again(self) -> None:
        replies = [503, 429, 200]

        class Busy(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(replies.pop(0))
                self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(b'{"servers": []}')

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Busy)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            busy = api.Steward(f"http://127.0.0.1:{server.server_port}", "key")
            self.assertEqual(api.describe_servers(busy), "No server is enabled.")
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
        self.assertEqual(replies, [])


if __name__ == "__main__":
    unittest.main()
