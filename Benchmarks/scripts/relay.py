"""A relay that accepts and drops mail."""

import subprocess

from failure import MeasurementFailed


class Relay:
    """A MailSink process on a port of 127.0.0.1."""

    def __init__(self, programs, name, *options):
        """Starts the process.

        name: the name in messages.
        options: those of MailSink.
        """
        self.name = name
        self._process = subprocess.Popen(
            [programs.mail_sink, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.port = self._number("port")

    def _number(self, word):
        words = self._process.stdout.readline().split()
        if len(words) != 2 or words[0] != word:
            raise MeasurementFailed(f"MailSink printed {words} instead of {word}")
        return int(words[1])

    def mails(self):
        """Returns the number of mails that it has accepted."""
        self._process.stdin.write("count\n")
        self._process.stdin.flush()
        return self._number("mails")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
