"""A server that is measured: started, watched from outside, stopped."""

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
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A process that serves HTTP on a port of 127.0.0.1.

    `start_milliseconds` is from before the process is made to the last byte of its first 2xx.
    """

    def __init__(self, name, command, health="/livez", environment=None, certificate=None):
        """Starts it and waits until it answers.

        name: for messages, and the name of its log.
        command: the arguments, made by this function from the port.
        health: a path that answers 2xx.
        environment: variables beside those there are.
        certificate: the file of the certificate that it serves HTTPS with.
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
        while not self._answers(health, certificate):
            if self._process.poll() is not None or time.perf_counter() - begin > 30:
                self._fail("did not start")
            time.sleep(0.0003)
        self.start_milliseconds = (time.perf_counter() - begin) * 1000

    def _answers(self, path, certificate):
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
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def status(self, method, path, body):
        """The status of one request with a JSON body, or with none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        return status

    def cpu_seconds(self):
        """What all its threads have used until now, user and system."""
        with open(f"/proc/{self._process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def resident_kib(self):
        """Its resident memory."""
        with open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def _fail(self, problem):
        self._process.kill()
        self._process.wait()
        os.lseek(self._log, 0, os.SEEK_SET)
        log = os.read(self._log, 4000).decode(errors="replace")
        raise MeasurementFailed(f"{self.name} {problem}:\n{log}")

    def stop(self):
        """Stops it as an operator does, and minds how it ends."""
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._fail("did not stop")
        if code != 0:
            self._fail(f"ended with {code}")
        os.close(self._log)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.stop()
        elif self._process.poll() is None:
            self._process.kill()
            self._process.wait()
