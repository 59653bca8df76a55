"""The time of `enlist copy` from a file to a server and back, with its comparison."""

import os
import re
import resource
import subprocess
import time

import databases
from failure import MeasurementFailed
from figures import markdown, middle
from postgresql import PostgreSQL


def measure(run):
    """Returns the table."""
    source = run.seeds.copy(run.seeds.enlist)
    run.say(f"storing {run.people:,} people")
    databases.grow(source, run.people)
    seconds = {"to PostgreSQL": [], "to SQLite": []}
    cpu = {name: [] for name in seconds}
    sums = set()
    with PostgreSQL(run) as server:
        for turn in range(run.rounds):
            url = server.create(f"list_{turn}")
            back = os.path.join(run.folder, f"back-{turn}.sqlite")
            for name, ends in (("to PostgreSQL", (f"sqlite:{source}", url)),
                               ("to SQLite", (url, f"sqlite:{back}"))):
                taken, own, tables = _copy(run, *ends)
                seconds[name].append(taken)
                cpu[name].append(own)
                sums.add(tables)
                run.say(f"{name}: {taken:.1f} s, {own:.1f} s CPU")
            for table in ("subscribers", "consents"):
                if databases.count(back, table) != run.people:
                    raise MeasurementFailed(f"{table} differs after the way back")
            databases.remove(back)
    if len(sums) != 1:
        raise MeasurementFailed(f"the copies differ: {sums}")
    (tables,) = sums
    rows = [
        [name, middle(seconds[name]), f"{min(seconds[name]):.1f}–{max(seconds[name]):.1f}",
         middle(cpu[name]), f"{2 * run.people / min(seconds[name]):,.0f}"]
        for name in seconds
    ]
    shown = ", ".join(f"{name}: {count} rows, hash {digits}" for name, count, digits in tables)
    return markdown(["copy", "seconds", "lowest–highest", "seconds of CPU, own", "rows/s at most"],
                    rows) + f"\n\nEqual in every copy, on both sides: {shown}."


def _copy(run, source, target):
    """Returns the time, the CPU time of the program, and each table with its count and hash."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([run.programs.enlist, "copy", "--from", source, "--to", target],
                          check=False, stdout=subprocess.PIPE, text=True)
    taken = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise MeasurementFailed(f"enlist copy ended with {done.returncode}")
    found = re.findall(r"(?m)^(\w+): (\d+) rows?, hash (\w{16}) on both sides$", done.stdout)
    tables = tuple(row for row in found if row[1] != "0")
    own = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return taken, own, tables
