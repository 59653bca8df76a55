"""Measures the service over HTTP against a minimal C implementation.

Prints Markdown tables to standard output and progress to standard error. Benchmarks/README.md
explains the columns and lists the aims.
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
import table_backup
import table_copy
import table_crowd
import table_fan_out
import table_mail
import table_memory
import table_postgresql
import table_replicas
import table_requests
import table_sign_ups
import table_start
import table_states
import table_waits
from failure import MeasurementFailed

TABLES = {
    "sign-ups": (table_sign_ups, "Sign-ups"),
    "mail": (table_mail, "Sign-ups with mail"),
    "waits": (table_waits, "Sign-ups with mail at a fixed rate"),
    "states": (table_states, "Sign-ups by the state of the address"),
    "postgresql": (table_postgresql, "Sign-ups in PostgreSQL"),
    "replicas": (table_replicas, "Replicas on one PostgreSQL server"),
    "requests": (table_requests, "Rejections and checks"),
    "fan-out": (table_fan_out, "Fan-out"),
    "memory": (table_memory, "Memory of an idle stream"),
    "crowd": (table_crowd, "A sign-up with many streams open"),
    "start": (table_start, "Start"),
    "backup": (table_backup, "Backup under load"),
    "copy": (table_copy, "Copy of a list to PostgreSQL and back"),
}

# The tables to which --fsync-delay applies.
SIGN_UPS = {"sign-ups", "mail", "waits", "states", "postgresql", "replicas", "backup"}


@dataclass
class Run:
    """The settings and programs that all tables share."""

    rounds: int
    seconds: int
    streams: list
    # The largest of these that the service accepts with the process's file descriptors.
    service_streams: int
    rate: int
    people: int
    folder: str
    programs: programs.Programs
    seeds: databases.Seeds
    slow_disk: dict

    @staticmethod
    def say(text):
        """Prints progress."""
        print(text, file=sys.stderr, flush=True)


def arguments():
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="Scripts/benchmark", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE",
                        help=f"the tables to measure, from {', '.join(TABLES)} "
                        "(default: all but copy)")
    parser.add_argument("--rounds", type=int, default=5,
                        help="the number of rounds, one turn per contender (default: 5)")
    parser.add_argument("--seconds", type=int, default=4,
                        help="the duration of each run of requests (default: 4)")
    parser.add_argument("--streams", default="100,1000,10000",
                        help="the numbers of open streams (default: 100,1000,10000)")
    parser.add_argument("--rate", type=int, default=400,
                        help="sign-ups per second of replicas and waits (default: 400)")
    parser.add_argument("--people", type=int, default=1_000_000,
                        help="the number of people in a backup or a copy (default: 1000000)")
    parser.add_argument("--fsync-delay", type=int, default=0, metavar="MICROSECONDS",
                        help="delay each fsync of the tables of sign-ups, as on a slower disk")
    parser.add_argument("--folder", default=tempfile.gettempdir(),
                        help="the folder for the databases: on a disk, not in memory")
    options = parser.parse_args()
    for table in options.tables:
        if table not in TABLES:
            parser.error(f"unknown table {table}: expected one of {', '.join(TABLES)}")
    if min(options.rounds, options.seconds, options.rate) < 1 or options.fsync_delay < 0:
        parser.error("--rounds, --seconds and --rate must be at least 1, --fsync-delay at least 0")
    if options.people <= databases.STORED_BEFORE:
        parser.error(f"--people must be more than {databases.STORED_BEFORE}")
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", options.streams):
        parser.error(f"invalid value \"{options.streams}\" for --streams: "
                     "expected comma-separated numbers")
    return options


def machine():
    """Describes the machine and the date."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
        if found:
            model = found.group(1)
    load = os.getloadavg()[0]
    return (f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, {date.today()}, "
            f"load average before: {load:.1f}")


def require_descriptors(streams):
    """Raises the limit of descriptors, and exits if it is too low for the streams.

    Returns how many of them the service accepts: it reserves half of its connections for requests.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < streams + 1000:
        sys.exit(f"benchmark: {streams} streams need more than {most} file descriptors; "
                 "raise the hard limit (ulimit -Hn)")
    return min(streams, (most - 200) // 2)


def main():
    """Builds, measures and prints."""
    options = arguments()
    streams = [int(count) for count in options.streams.split(",")]
    names = options.tables or [name for name in TABLES if name != "copy"]
    service_streams = 0
    if {"fan-out", "memory", "crowd"} & set(names):
        service_streams = require_descriptors(max(streams))
    with tempfile.TemporaryDirectory(prefix="enlist-benchmark-", dir=options.folder) as folder:
        described = machine()
        Run.say("building")
        built = programs.build(folder)
        Run.say(f"storing {databases.STORED_BEFORE:,} sign-ups in each seed database")
        slow_disk = {}
        if options.fsync_delay:
            slow_disk = {"LD_PRELOAD": built.fsync_delay, "FSYNC_DELAY": str(options.fsync_delay)}
        run = Run(options.rounds, options.seconds, streams, service_streams, options.rate,
                  options.people, folder, built, databases.Seeds(built, folder), slow_disk)
        print(f"{described}; medians of {options.rounds} rounds, {options.seconds} s each:",
              flush=True)
        for name in names:
            table, title = TABLES[name]
            if name in SIGN_UPS and slow_disk:
                title += f", each fsync {options.fsync_delay} µs slower"
            print(f"\n### {title}\n\n{table.measure(run)}", flush=True)


try:
    main()
except MeasurementFailed as failure:
    sys.exit(f"benchmark: {failure}")
