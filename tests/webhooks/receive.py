"""Receives webhooks and verifies each with the standardwebhooks package.

Prints its port, then writes a line of JSON for every request: `id` and `event` of a valid one,
`error` of any other. The signing secret is read from SECRET_FILE with each request.

Usage: receive.py SECRET_FILE OUTPUT_FILE
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

secret_file, output_file = sys.argv[1:]
output = open(output_file, "a", encoding="utf-8")
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            with open(secret_file, encoding="utf-8") as file:
                webhook = Webhook(file.read())
            headers = {name.lower(): value for name, value in self.headers.items()}
            event = webhook.verify(body, headers)
            line = {"id": headers["webhook-id"], "event": event}
            status = 204
        except Exception as error:
            line = {"error": repr(error)}
            status = 400
        with lock:
            output.write(json.dumps(line) + "\n")
            output.flush()
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
