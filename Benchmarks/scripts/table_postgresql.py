"""Durable sign-ups in PostgreSQL, against the same function called from C and against SQLite."""

from contextlib import ExitStack
from dataclasses import dataclass

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, ratio
from postgresql import PostgreSQL

CONNECTIONS = (1, 16, 64)
SIDES = ["enlist", "floor", "SQLite"]


@dataclass(frozen=True)
class StoredLoad:
    """The results of one run."""

    requests: wrk.Load
    server_microseconds: float  # CPU time of the database server, per response
    is_complete: bool  # whether each response has its row


def measure(run):
    """Returns the table, with LOST where a response has no row."""
    loads = {(side, count): [] for side in SIDES for count in CONNECTIONS}
    with PostgreSQL(run) as database_server:
        for turn in range(run.rounds):
            _measure_turn(run, database_server, turn, loads)
    return _table(loads)


def _measure_turn(run, database_server, turn, loads):
    names = {"enlist": database_server.copy(), "floor": database_server.copy()}
    path = run.seeds.copy(run.seeds.enlist)
    counts = {
        "enlist": lambda: database_server.count(names["enlist"]),
        "floor": lambda: database_server.count(names["floor"]),
        "SQLite": lambda: databases.count(path),
    }
    url = database_server.url
    with ExitStack() as stack:
        # The database server, not its client, has the slow disk.
        servers = {
            "enlist": contenders.enlist(run.programs, url(names["enlist"])),
            "floor": contenders.sign_up_floor(run.programs, url(names["floor"])),
            "SQLite": contenders.enlist(run.programs, path, run.slow_disk, name="enlist, SQLite"),
        }
        for server in servers.values():
            stack.enter_context(server)
        for count in CONNECTIONS:
            for side in in_turns(SIDES, turn):
                load = _load(run, database_server, servers[side], counts[side], count)
                loads[side, count].append(load)
                run.say(f"sign-ups in PostgreSQL, {count} connections, {side}: "
                        f"{load.requests.cpu_microseconds:.1f} µs, "
                        f"server {load.server_microseconds:.1f} µs, "
                        f"{load.requests.per_second:.0f}/s{'' if load.is_complete else ', LOST'}")
    for name in names.values():
        database_server.remove(name)
    databases.remove(path)


def _load(run, database_server, server, count_rows, connections):
    before = count_rows()
    cpu = database_server.cpu_seconds()
    load = wrk.run(server, "/subscribers", connections, run.seconds, "sign_up.lua", [f"run{before}"])
    cpu = database_server.cpu_seconds() - cpu
    if load.rejections:
        raise MeasurementFailed(f"{server.name} rejected {load.rejections} sign-ups")
    is_complete = count_rows() - before >= load.responses
    return StoredLoad(load, cpu * 1e6 / load.responses, is_complete)


def _table(loads):
    rows = []
    for count in CONNECTIONS:

        def values(side, name):
            return [getattr(load.requests, name) for load in loads[side, count]]

        def of_server(side):
            return [load.server_microseconds for load in loads[side, count]]

        cpu = {side: values(side, "cpu_microseconds") for side in SIDES}
        speed = {side: values(side, "per_second") for side in SIDES}
        p50 = {side: values(side, "p50_milliseconds") for side in SIDES}
        is_complete = all(load.is_complete for side in SIDES for load in loads[side, count])
        rows.append([
            str(count), middle(cpu["enlist"]), middle(cpu["floor"]),
            ratio(cpu["enlist"], cpu["floor"]), middle(of_server("enlist")),
            middle(of_server("floor")), middle(cpu["SQLite"]), middle(speed["enlist"]),
            middle(speed["floor"]), middle(speed["SQLite"]), middle(p50["enlist"]),
            middle(p50["floor"]), "all" if is_complete else "**LOST**",
        ])
    return markdown(
        ["connections", "CPU µs", "floor", "ratio", "server's CPU µs", "floor", "SQLite's CPU µs",
         "sign-ups/s", "floor", "SQLite", "p50 ms", "floor", "stored"],
        rows,
    )
