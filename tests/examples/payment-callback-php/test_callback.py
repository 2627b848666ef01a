"""Sends the callback what a payment gateway sends, with a real service behind it."""

import hashlib
import hmac
import json
import os
import pathlib
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/payment-callback-php"
SECRET = "the gateway's secret"


def send(url, headers, body=None, method=None):
    """The status and the body of the reply."""
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def steward(method, path, body=None):
    headers = {"X-API-Key": os.environ["STEWARD_KEY"], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    status, reply = send(os.environ["STEWARD_URL"] + path, headers, data, method)
    assert status < 300, reply
    return json.loads(reply)


class Callback(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.user = steward("POST", "/api/users", {
            "username": "anna", "email": "anna@example.com", "password": "correct horse",
        })["user"]["id"]
        cls.currency = steward("POST", "/api/currencies", {
            "code": "EUR", "minimum_value": 0, "exchange_rate": 1,
        })["currency"]["id"]

    def serve(self, **environment):
        """The address of the callback, served by PHP until the test ends."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % free.getsockname()[1]
        process = subprocess.Popen(
            ["php", "-S", address, EXAMPLE / "callback.php"], stderr=subprocess.DEVNULL,
            env=os.environ | {"GATEWAY_SECRET": SECRET} | environment,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        for _ in range(100):
            try:
                socket.create_connection(address.split(":"), timeout=1).close()
                return f"http://{address}/"
            except OSError:
                time.sleep(0.1)
        raise AssertionError("PHP does not listen")

    def create_invoice(self, amount):
        return steward("POST", "/api/payment-invoices", {
            "user_id": self.user, "gateway": "card", "amount": amount, "currency_id": self.currency,
        })["payment_invoice"]["id"]

    def read_invoice(self, invoice):
        return steward("GET", f"/api/payment-invoices/{invoice}")["payment_invoice"]

    def report(self, address, payment, secret=SECRET, age=0):
        """What the callback answers to the gateway."""
        body = payment if isinstance(payment, bytes) else json.dumps(payment).encode()
        moment = int(time.time()) - age
        signed = f"{moment}.".encode() + body
        signature = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        return send(address, {"Gateway-Signature": f"t={moment},v1={signature}"}, body)[0]

    def test_a_payment_that_is_reported_twice_is_recorded_once(self):
        address = self.serve()
        invoice = self.create_invoice(19.99)
        payment = {"invoice": invoice, "transaction": "T-1", "amount": "19.9900", "currency": "EUR"}
        self.assertEqual(self.report(address, payment), 200)
        paid = self.read_invoice(invoice)
        self.assertEqual((paid["is_paid"], paid["transaction_id"]), (True, "T-1"))
        self.assertEqual(self.report(address, payment), 200)
        self.assertEqual(self.read_invoice(invoice), paid)
        entries = steward("GET", f"/api/audit-log?action=payment_invoices.status&resource_id={invoice}")
        self.assertEqual(len(entries["audit_log"]), 1)

    def order(self, product, number):
        """The invoice that the shop orders."""
        script = f"""
            require '{EXAMPLE}/payment.php';
            $steward = new Steward(getenv('STEWARD_URL'), getenv('STEWARD_KEY'));
            echo order_product($steward, {self.user}, {product}, {self.currency}, '{number}')['id'];
        """
        return int(subprocess.check_output(["php", "-r", script]))

    def test_an_order_that_is_paid_gives_its_role_once(self):
        role = steward("POST", "/api/roles", {"name": "VIP"})["role"]["id"]
        product = steward("POST", "/api/products", {
            "name": "VIP", "prices": [{"currency_id": self.currency, "amount": 4.5}],
            "steps": [{"kind": "role", "role_id": role, "seconds": 86400}],
        })["product"]["id"]
        invoice = self.order(product, "A-1")
        self.assertEqual(self.order(product, "A-1"), invoice)
        held = f"/api/users/{self.user}/roles"
        self.assertEqual(steward("GET", held)["roles"], [])
        address = self.serve()
        payment = {"invoice": invoice, "transaction": "T-5", "amount": "4.5", "currency": "EUR"}
        for _ in range(2):
            self.assertEqual(self.report(address, payment), 200)
        self.assertEqual([role["name"] for role in steward("GET", held)["roles"]], ["VIP"])
        grants = steward("GET", f"/api/grants?invoice_id={invoice}")["grants"]
        self.assertEqual([grant["state"] for grant in grants], ["done"])

    def test_a_wrong_or_old_signature_gives_401(self):
        address = self.serve()
        invoice = self.create_invoice(5)
        payment = {"invoice": invoice, "transaction": "T-2", "amount": "5", "currency": "EUR"}
        self.assertEqual(self.report(address, payment, secret="another"), 401)
        self.assertEqual(self.report(address, payment, age=301), 401)
        self.assertEqual(send(address, {}, b"{}")[0], 401)
        self.assertFalse(self.read_invoice(invoice)["is_paid"])

    def test_another_amount_or_currency_gives_422(self):
        address = self.serve()
        invoice = self.create_invoice(999999999999.0002)
        self.assertEqual(float("999999999999.0002"), float("999999999999.0003"))
        for amount, currency in (
            ("999999999999.0003", "EUR"), ("999999999999.0002", "USD"), ("1", "EUR"), ("-1", "EUR"),
            ("999999999999.00020", "EUR"), (999999999999.0002, "EUR"),
        ):
            payment = {"invoice": invoice, "transaction": "T-3", "amount": amount, "currency": currency}
            self.assertEqual(self.report(address, payment), 422, (amount, currency))
        for payment in (b"[]", b"no JSON", b'"text"', b'{"invoice": "1"}'):
            self.assertEqual(self.report(address, payment), 422, payment)
        self.assertFalse(self.read_invoice(invoice)["is_paid"])
        payment = {
            "invoice": invoice, "transaction": "T-3", "amount": "999999999999.0002", "currency": "EUR",
        }
        self.assertEqual(self.report(address, payment), 200)

    def test_an_unknown_invoice_gives_422_and_a_stopped_service_503(self):
        payment = {"invoice": 999, "transaction": "T-4", "amount": "5", "currency": "EUR"}
        self.assertEqual(self.report(self.serve(), payment), 422)
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            nowhere = self.serve(STEWARD_URL="http://127.0.0.1:%d" % closed.getsockname()[1])
            self.assertEqual(self.report(nowhere, payment), 503)
        self.assertEqual(self.report(self.serve(STEWARD_KEY="wrong"), payment), 503)


if __name__ == "__main__":
    unittest.main()
