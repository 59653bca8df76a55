"""Many open event streams."""

import socket
import ssl
import subprocess

from failure import MeasurementFailed


class OpenStreams:
    """Streams without TLS, opened and read by a StreamLoad process."""

    def __init__(self, programs, server, count):
        self._process = subprocess.Popen(
            [programs.load, str(server.port), str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.expect_open(count, self._line().get("open"))

    def _line(self):
        words = self._process.stdout.readline().split()
        return dict(zip(words[::2], map(int, words[1::2])))

    @staticmethod
    def expect_open(count, is_open):
        """Raises MeasurementFailed unless all streams are open."""
        if is_open != count:
            raise MeasurementFailed(f"{is_open} of {count} streams are open")

    def publish(self, events):
        """Publishes events; returns the counts `in-order`, `out-of-order` and `open`."""
        self._process.stdin.write(f"publish {events}\n")
        self._process.stdin.flush()
        return self._line()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class IdleStreamsWithTLS:
    """Streams with TLS, kept open but not read after their first bytes."""

    def __init__(self, server, certificate, count):
        context = ssl.create_default_context(cafile=certificate)
        self._streams = []
        for _ in range(count):
            plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            # Without it, the request waits until the server acknowledges the end of the handshake.
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = context.wrap_socket(plain, server_hostname="127.0.0.1")
            self._streams.append(stream)
            stream.sendall(b"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            head = b""
            while b"\r\n\r\n" not in head:
                received = stream.recv(4096)
                if not received:
                    raise MeasurementFailed(f"stream {len(self._streams)} was closed: {head!r}")
                head += received
            if not head.startswith(b"HTTP/1.1 200 "):
                raise MeasurementFailed(f"stream {len(self._streams)}: {head!r}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for stream in self._streams:
            stream.close()
