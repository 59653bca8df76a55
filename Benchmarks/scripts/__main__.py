"""Measures the service over HTTP beside the least C code that does the same.

Prints Markdown tables on standard output, and how it goes on standard error. How the columns are
to be read, and what is aimed at, is in Benchmarks/README.md.
"""

import argparse
import os
import platform
import re
import resource
import sys
import tempfile
from dataclasses import dataclass
from datetime import date

import databases
import programs
import table_crowd
import table_fan_out
import table_memory
import table_requests
import table_sign_ups
import table_start
from failure import MeasurementFailed

TABLES = {
    "sign-ups": (table_sign_ups, "Sign-ups"),
    "requests": (table_requests, "Rejections and checks"),
    "fan-out": (table_fan_out, "Fan-out"),
    "memory": (table_memory, "Memory of an idle stream"),
    "crowd": (table_crowd, "A sign-up beside many streams"),
    "start": (table_start, "Start"),
}


@dataclass
class Run:
    """What all tables are measured with."""

    rounds: int
    seconds: int
    streams: list
    folder: str
    programs: programs.Programs
    seeds: databases.Seeds
    slow_disk: dict

    @staticmethod
    def say(text):
        """Says how it goes."""
        print(text, file=sys.stderr, flush=True)


def arguments():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="Scripts/benchmark", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE",
                        help=f"which tables, of {', '.join(TABLES)}; all unless given")
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each contender has its turn (default: 5)")
    parser.add_argument("--seconds", type=int, default=4,
                        help="how long a run of requests is (default: 4)")
    parser.add_argument("--streams", default="100,1000,10000",
                        help="how many streams are open (default: 100,1000,10000)")
    parser.add_argument("--fsync-delay", type=int, default=0, metavar="MICROSECONDS",
                        help="makes each fsync of the table sign-ups slower, as on another disk")
    parser.add_argument("--folder", default=tempfile.gettempdir(),
                        help="where the databases are made: on a disk, not in memory")
    asked = parser.parse_args()
    for table in asked.tables:
        if table not in TABLES:
            parser.error(f"there is no table {table}")
    if min(asked.rounds, asked.seconds) < 1 or asked.fsync_delay < 0:
        parser.error("rounds and seconds begin with 1, the delay with 0")
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", asked.streams):
        parser.error("streams are numbers, with commas between them")
    return asked


def machine():
    """What it was measured on."""
    model = "a processor without a name"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
        if found:
            model = found.group(1)
    load = os.getloadavg()[0]
    return (f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, {date.today()}, "
            f"load of the machine before: {load:.1f}")


def require_descriptors(streams):
    """Ends when fewer descriptors may be open than there are to be streams."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < streams + 1000:
        sys.exit(f"benchmark: {streams} streams need more than {most} descriptors (ulimit -Hn)")


def main():
    """Builds, measures, prints."""
    asked = arguments()
    streams = [int(count) for count in asked.streams.split(",")]
    names = asked.tables or list(TABLES)
    if {"fan-out", "memory", "crowd"} & set(names):
        require_descriptors(max(streams))
    with tempfile.TemporaryDirectory(prefix="enlist-benchmark-", dir=asked.folder) as folder:
        described = machine()
        Run.say("building")
        built = programs.build(folder)
        Run.say(f"storing {databases.STORED_BEFORE:,} sign-ups in each seed")
        slow_disk = {}
        if asked.fsync_delay:
            slow_disk = {"LD_PRELOAD": built.fsync_delay, "FSYNC_DELAY": str(asked.fsync_delay)}
        run = Run(asked.rounds, asked.seconds, streams, folder, built,
                  databases.Seeds(built, folder), slow_disk)
        print(f"{described}; medians of {asked.rounds} rounds, {asked.seconds} s each:", flush=True)
        for name in names:
            table, title = TABLES[name]
            if name == "sign-ups" and slow_disk:
                title += f", each fsync {asked.fsync_delay} µs slower"
            print(f"\n### {title}\n\n{table.measure(run)}", flush=True)


try:
    main()
except MeasurementFailed as failure:
    sys.exit(f"benchmark: {failure}")
