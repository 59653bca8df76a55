"""A measured server: starts it, observes it from outside, stops it."""

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import time

from failure import MeasurementFailed

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def free_port():
    """Returns a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds_of(process, with_ended_children=False, only_of=None):
    """Returns the CPU time that all threads of a process have used, user and system.

    with_ended_children: whether that of children that have ended is included.
    only_of: the parent; the time of a process with another one is 0.
    """
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    if only_of is not None and int(fields[1]) != only_of:
        return 0
    ticks = sum(map(int, fields[11:15 if with_ended_children else 13]))
    return ticks / TICKS_PER_SECOND


class Server:
    """A process that serves HTTP on a port of 127.0.0.1.

    `start_milliseconds` is the time from before the process is created to the last byte of its first
    2xx response.
    """

    def __init__(self, name, command, health="/livez", environment=None, certificate=None):
        """Starts the process and waits until it responds.

        name: the name in messages.
        command: a function that makes the arguments from the port.
        health: a path that gets 2xx.
        environment: additional environment variables.
        certificate: the certificate file if the server uses HTTPS.
        """
        self.name = name
        self.port = free_port()
        self._log = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
        arguments = command(self.port)
        variables = os.environ | (environment or {})
        begin = time.perf_counter()
        self._process = subprocess.Popen(
            arguments, env=variables, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log
        )
        while not self._responds(health, certificate):
            if self._process.poll() is not None or time.perf_counter() - begin > 30:
                self._fail("did not start")
            time.sleep(0.0003)
        self.start_milliseconds = (time.perf_counter() - begin) * 1000

    def _responds(self, path, certificate):
        if certificate:
            context = ssl.create_default_context(cafile=certificate)
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path, headers={"Connection": "close"})
            response = connection.getresponse()
            response.read()
            return 200 <= response.status < 300
        except OSError:
            return False
        finally:
            connection.close()

    def url(self, path):
        """Returns the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def status(self, method, path, body):
        """Sends one request, with or without a JSON body, and returns the status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        return status

    def cpu_seconds(self):
        """Returns the CPU time that all its threads have used, user and system."""
        return cpu_seconds_of(self._process.pid)

    def resident_kib(self):
        """Returns its resident memory."""
        with open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def _fail(self, problem):
        self._process.kill()
        self._process.wait()
        os.lseek(self._log, 0, os.SEEK_SET)
        log = os.read(self._log, 4000).decode(errors="replace")
        raise MeasurementFailed(f"{self.name} {problem}:\n{log}")

    def stop(self):
        """Stops it with SIGTERM, and raises MeasurementFailed if it does not exit cleanly."""
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._fail("did not stop")
        if code != 0:
            self._fail(f"exited with code {code}")
        os.close(self._log)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.stop()
        elif self._process.poll() is None:
            self._process.kill()
            self._process.wait()
