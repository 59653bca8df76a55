#!/usr/bin/env python3
"""A receiver of webhooks for tests, which verifies each request with the package standardwebhooks.

It listens on a free port of 127.0.0.1, or on that of `--port`, and prints {"port": ...} first, then
a line for each request: the id and the type of the event, the id of its subscriber, and the response
("accepted", or the reason why it was not). A Unix signal ends it.

`--secret SECRET` is a secret of the webhook; without one, a signature is not verified.
`--status N` responds with another status than 204, `--retry-after N` with that field.
`--certificate PATH` speaks TLS, with the certificate PATH.pem and its key PATH.key; with
`--old-tls`, only versions before 1.2.
`--mode MODE` is how it responds:

  normal      at once
  hang        never
  large       with 10 MB
  heads       with header fields without an end
  close       closes the connection without a response
  early       closes the connection in the middle of the body of a response with 200
  redirect    with a redirection to another path of this receiver
  chaos       slowly, with failures, and it sometimes ends without a response, with exit code 9
"""

import argparse
import http.server
import json
import os
import random
import ssl
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--secret", action="append", default=[])
parser.add_argument("--status", type=int, default=204)
parser.add_argument("--retry-after")
parser.add_argument("--certificate")
parser.add_argument("--old-tls", action="store_true")
parser.add_argument("--mode", default="normal")
options = parser.parse_args()
output = threading.Lock()


def say(**values):
    with output:
        print(json.dumps(values), flush=True)


def verify(body, fields):
    """Returns the event, or raises an error unless each secret has signed the request."""
    if options.secret:
        from standardwebhooks import Webhook

        for secret in options.secret:
            Webhook(secret).verify(body, dict(fields))
    return json.loads(body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify(body, self.headers)
        except Exception as error:
            say(id=self.headers.get("webhook-id"), response=f"not verified: {error}")
            return self.respond(400)
        known = dict(
            id=self.headers["webhook-id"],
            type=event["type"],
            subscriber=event["data"].get("subscriber", {}).get("id"),
            address=event["data"].get("subscriber", {}).get("address"),
        )
        if options.mode == "chaos":
            choice = random.random()
            time.sleep(random.random() ** 4 * 0.05)
            if choice < 0.001:
                os._exit(9)
            if choice < 0.02:
                say(**known, response="failed")
                return self.respond(random.choice([500, 503]))
            if choice < 0.03:
                say(**known, response="closed")
                self.close_connection = True
                return None
        say(**known, response="accepted" if options.status < 300 else str(options.status))
        if options.mode == "chaos" and random.random() < 0.001:
            os._exit(9)
        return getattr(self, options.mode, self.normal)()

    def normal(self):
        self.respond(options.status)

    def respond(self, status):
        self.send_response(status)
        if options.retry_after:
            self.send_header("Retry-After", options.retry_after)
        text = b"" if status == 204 else b"the receiver says no"
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def hang(self):
        time.sleep(3600)

    def large(self):
        self.send_response(options.status)
        self.send_header("Content-Length", "10000000")
        self.end_headers()
        sent = 0
        try:
            while sent < 10_000_000:
                sent += self.wfile.write(b"x" * 10_000)
        finally:
            say(sent=sent)

    def heads(self):
        self.send_response(200)
        while True:
            self.wfile.write(b"X-Header: " + b"x" * 1000 + b"\r\n")

    def close(self):
        self.close_connection = True

    def early(self):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"not all")
        self.close_connection = True

    def redirect(self):
        self.send_response(302)
        # An address that the receiver's sender may reach.
        port = self.server.server_address[1]
        self.send_header("Location", f"http://127.0.0.1:{port}/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", options.port), Handler)
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{options.certificate}.pem", f"{options.certificate}.key")
    if options.old_tls:
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
say(port=server.server_address[1])
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(0)
