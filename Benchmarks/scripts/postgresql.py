"""A PostgreSQL server of its own, in a folder, on a Unix socket."""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
import urllib.parse

from failure import MeasurementFailed

ROLE = "enlist"


def _programs():
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if not found:
        raise MeasurementFailed("PostgreSQL is not installed; Scripts/bootstrap test installs it")
    return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))


def _run(*words):
    # The server rejects root.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
    subprocess.run([*(user if os.geteuid() == 0 else []), *words], check=True, cwd="/",
                   stdout=sys.stderr, timeout=120)


@contextlib.contextmanager
def server(folder):
    """Runs a server, and yields a function that makes a database and returns its URL."""
    programs = _programs()
    home = os.path.join(folder, "postgresql")
    os.mkdir(home, 0o700)
    if os.geteuid() == 0:
        # The user must reach it.
        os.chmod(folder, 0o711)
        shutil.chown(home, "nobody", "nogroup")
    data = os.path.join(home, "data")
    _run(f"{programs}/initdb", f"--pgdata={data}", "--auth=trust", f"--username={ROLE}",
         "--encoding=UTF8", "--locale=C", "--no-instructions")
    options = f"-c listen_addresses= -c unix_socket_directories={home} -c max_wal_size=4GB"
    _run(f"{programs}/pg_ctl", "start", "-w", "-D", data, "-l", os.path.join(home, "log"),
         "-o", options)

    def create(name):
        _run(f"{programs}/createdb", f"--host={home}", f"--username={ROLE}", name)
        return f"postgres://{ROLE}@{urllib.parse.quote(home, safe='')}/{name}"

    try:
        yield create
    finally:
        _run(f"{programs}/pg_ctl", "stop", "-m", "fast", "-D", data)
