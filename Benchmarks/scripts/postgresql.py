"""A PostgreSQL server with databases filled with sign-ups."""

import glob
import os
import pwd
import signal
import subprocess
import tempfile
import time
from urllib.parse import quote

import contenders
from databases import STORED_AT, STORED_BEFORE
from failure import MeasurementFailed
from server import cpu_seconds_of

ROLE = "enlist"
SEED = "seed"

# The rows of databases.py, made by the server.
FILL = f"""
SET search_path = enlist;
WITH made AS (
  SELECT n, lpad(to_hex(n * 2654435761 % 4294967296), 8, '0') || '.0.' || n || '@before.example.com'
    AS address, to_timestamp({STORED_AT // 1000}) AS at
  FROM generate_series(1::bigint, {STORED_BEFORE}) AS n
), stored AS (
  INSERT INTO subscribers(address, address_key, state, created_at, updated_at, requested_at)
    SELECT address, address, 0, at, at, at FROM made ORDER BY n RETURNING id
)
INSERT INTO consents(id, subscriber_id, kind, at, ip, user_agent)
  SELECT decode(lpad(to_hex({STORED_AT} + id), 12, '0') || md5(random()::text), 'hex'), id,
    'requested', to_timestamp({STORED_AT // 1000}), '127.0.0.0', 'benchmark'
  FROM stored ORDER BY id;
"""


class PostgreSQL:
    """A server of the newest version on this machine, on a Unix socket, with its usual settings.

    It runs as an ordinary user, for root as `nobody`.
    """

    def __init__(self, run):
        """Creates a cluster, starts its server, and makes the database that others are copied from.

        run: the settings and programs of the benchmark.
        """
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"),
                         key=lambda folder: int(folder.split("/")[-2]))
        if not folders:
            raise MeasurementFailed("PostgreSQL is not installed: Scripts/bootstrap benchmark")
        self._copies = 0
        self._user = {}
        # Short, because a socket has this path.
        self.folder = tempfile.mkdtemp(prefix="pg-", dir=run.folder)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            os.chmod(run.folder, 0o711)
        data = os.path.join(self.folder, "data")
        subprocess.run(
            [f"{folders[-1]}/initdb", f"--pgdata={data}", "--auth=trust", f"--username={ROLE}",
             "--encoding=UTF8", "--locale=C", "--no-instructions"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._user,
        )
        settings = {"listen_addresses": "", "unix_socket_directories": self.folder,
                    "shared_buffers": "256MB"}
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self._process = subprocess.Popen(
                [f"{folders[-1]}/postgres", "-D", data,
                 *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))],
                env=os.environ | run.slow_disk, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._user,
            )
        try:
            self._wait_until_ready(os.path.join(data, "postmaster.pid"))
            self.execute("postgres", f"CREATE DATABASE {SEED}")
            contenders.enlist(run.programs, self.url(SEED)).stop()
            self.execute(SEED, FILL)
            self.execute(SEED, "VACUUM ANALYZE")
        except BaseException:
            self.stop()
            raise

    def _wait_until_ready(self, path):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    lines = file.read().splitlines()
                if len(lines) > 7 and lines[7].startswith("ready"):
                    return
            time.sleep(0.05)
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            raise MeasurementFailed(f"PostgreSQL did not start:\n{file.read()}")

    def url(self, database):
        """Returns the URL of a database."""
        return f"postgres://{ROLE}@{quote(self.folder, safe='')}/{database}"

    def execute(self, database, sql):
        """Executes statements, and returns the output of the last one."""
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                   "--set=ON_ERROR_STOP=1", f"--host={self.folder}", f"--username={ROLE}", database]
        result = subprocess.run(command, input=sql, text=True, check=True, stdout=subprocess.PIPE)
        return result.stdout.strip()

    def create(self, name):
        """Makes an empty database, and returns its URL."""
        self.execute("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def copy(self):
        """Makes a database with the sign-ups, and returns its name; nothing is left to write back."""
        self._copies += 1
        name = f"copy_{self._copies}"
        self.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {SEED}")
        self.execute("postgres", "CHECKPOINT")
        return name

    def remove(self, name):
        """Removes a database that nobody uses any more."""
        self.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")

    def count(self, database):
        """Counts the subscribers."""
        return int(self.execute(database, "SELECT count(*) FROM enlist.subscribers"))

    def cpu_seconds(self):
        """Returns the CPU time of all processes of the server, those that have ended included."""
        total = cpu_seconds_of(self._process.pid, with_ended_children=True)
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                total += cpu_seconds_of(entry.name, only_of=self._process.pid)
            except OSError:
                # It has just ended.
                pass
        return total

    def stop(self):
        """Stops the server."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.stop()
