"""Sign-ups at a fixed rate to several replicas, and the events of all of them on each."""

import re
import selectors
import socket
import time
from collections import deque

from failure import MeasurementFailed

EVENT_ID = re.compile(rb"^id: [a-z0-9]{8}-(\d+)$", re.M)
CONTENT_LENGTH = re.compile(rb"^content-length: (\d+)\r$", re.M | re.I)
PATIENCE = 20  # seconds for responses and events after the last sign-up


class _Stream:
    """A client of `GET /status`."""

    def __init__(self, port):
        self.socket = _connect(port)
        self.socket.sendall(f"GET /status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.arrivals = []  # of each event `completed`
        self._rest = b""
        self._position = None
        while b": ok\n" not in self._rest:
            self._rest += self._receive()
        if not self._rest.startswith(b"HTTP/1.1 200 "):
            raise MeasurementFailed(f"no stream: {self._rest!r}")
        self._rest = self._rest.partition(b": ok\n")[2]

    def _receive(self):
        received = self.socket.recv(65_536)
        if not received:
            raise MeasurementFailed("a stream was closed")
        return received

    def read(self):
        """Reads what has arrived."""
        self._rest += self._receive()
        now = time.perf_counter()
        whole, separator, self._rest = self._rest.rpartition(b"\n\n")
        text = whole + separator
        for position in map(int, EVENT_ID.findall(text)):
            if self._position is not None and position != self._position + 1:
                raise MeasurementFailed(f"event {position} follows {self._position}")
            self._position = position
        if b"event: failed\n" in text or b"event: reset\n" in text:
            raise MeasurementFailed("an execution failed, or the stream was reset")
        self.arrivals += [now] * text.count(b"event: completed\n")


class _Client:
    """A connection that has one sign-up in flight at most."""

    def __init__(self, replica, port):
        self.replica = replica
        self.socket = _connect(port)
        self._port = port
        self._sent = None
        self._received = b""

    def send(self, address, due):
        """Sends a sign-up that was due at a time."""
        body = f'{{"email":"{address}"}}'
        self._sent = due
        self.socket.sendall(
            f"POST /subscribers HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )

    def read(self):
        """Reads what has arrived; returns the seconds since the sign-up was due, once complete."""
        received = self.socket.recv(65_536)
        self._received += received
        if not received or not b"HTTP/1.1 202 ".startswith(self._received[:13]):
            raise MeasurementFailed(f"a sign-up was rejected: {self._received!r}")
        head, separator, body = self._received.partition(b"\r\n\r\n")
        length = CONTENT_LENGTH.search(head + b"\r\n")
        if not separator or not length or len(body) < int(length.group(1)):
            return None
        self._received = b""
        return time.perf_counter() - self._sent


class ReplicaLoad:
    """Clients and streams of replicas."""

    def __init__(self, ports, connections):
        """Connects.

        ports: the ports of the replicas.
        connections: how many clients in all; each replica has at least one.
        """
        self._streams = [_Stream(port) for port in ports]
        self._waiting = [deque() for _ in ports]  # what is due, but has no idle client
        self._idle = [deque() for _ in ports]
        self._selector = selectors.DefaultSelector()
        self._clients = [
            _Client(replica, port) for replica, port in enumerate(ports)
            for _ in range(max(1, connections // len(ports)))
        ]
        for client in self._clients:
            self._idle[client.replica].append(client)
        for peer in [*self._clients, *self._streams]:
            self._selector.register(peer.socket, selectors.EVENT_READ, peer)

    def run(self, rate, seconds, addresses):
        """Sends sign-ups to the replicas in turn, and waits for their responses and events.

        rate: sign-ups per second, for all replicas together.
        seconds: for how long.
        addresses: an iterator of addresses that were never signed up.
        Returns the milliseconds from each sign-up to its response, and those to each event: the n-th
        event of a stream belongs to the n-th sign-up, so that only their mean is exact.
        """
        total = int(rate * seconds)
        before = [len(stream.arrivals) for stream in self._streams]
        sent, responses = [], []
        begin = time.perf_counter()
        end = begin + seconds + PATIENCE
        while len(responses) < total or any(
            len(stream.arrivals) - count < total
            for stream, count in zip(self._streams, before, strict=True)
        ):
            now = time.perf_counter()
            if now > end:
                raise MeasurementFailed(f"{len(responses)} of {total} sign-ups have a response, "
                                        "or their events did not arrive")
            while len(sent) < total and begin + len(sent) / rate <= now:
                replica = len(sent) % len(self._streams)
                sent.append(now)
                self._waiting[replica].append((next(addresses), now))
                self._send(replica)
            due = begin + len(sent) / rate if len(sent) < total else now + 1
            for key, _ in self._selector.select(max(0, due - time.perf_counter())):
                elapsed = key.data.read()
                if elapsed is not None:
                    responses.append(elapsed * 1000)
                    self._idle[key.data.replica].append(key.data)
                    self._send(key.data.replica)
        events = [
            (arrival - due) * 1000
            for stream, count in zip(self._streams, before, strict=True)
            for due, arrival in zip(sent, stream.arrivals[count:], strict=True)
        ]
        return responses, events

    def _send(self, replica):
        while self._waiting[replica] and self._idle[replica]:
            self._idle[replica].popleft().send(*self._waiting[replica].popleft())

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._selector.close()
        for peer in [*self._clients, *self._streams]:
            peer.socket.close()


def _connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
