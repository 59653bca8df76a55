"""Replicas on one PostgreSQL server: sign-ups at a fixed rate, and their events on every replica."""

from contextlib import ExitStack
from itertools import count

import contenders
import databases
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, number, percentile
from postgresql import PostgreSQL
from replica_load import ReplicaLoad

REPLICAS = [1, 2, 5, 10]
CONNECTIONS = 40  # of clients, over all replicas
WARM_UP = 1  # seconds


def measure(run):
    """Returns the table."""
    rounds = {replicas: [] for replicas in REPLICAS}
    with PostgreSQL(run) as database_server:
        for turn in range(run.rounds):
            for replicas in in_turns(REPLICAS, turn):
                figures = _measure(run, database_server, replicas)
                rounds[replicas].append(figures)
                run.say(f"{replicas} replicas: sign-up p50 {percentile(figures[0], 50):.1f} ms, "
                        f"event p50 {percentile(figures[1], 50):.1f} ms, "
                        f"server {figures[2]:.0f} µs")
    return _table(rounds, run.rate)


def _measure(run, database_server, replicas):
    """Returns the milliseconds to responses and to events, and the CPU µs of both sides."""
    name = database_server.copy()
    with ExitStack() as stack:
        servers = [
            stack.enter_context(contenders.enlist(
                run.programs, database_server.url(name), settings=contenders.LONG_HISTORY,
                name=f"enlist, replica {replica + 1}",
            ))
            for replica in range(replicas)
        ]
        ports = [server.port for server in servers]
        addresses = map(databases.address, count(databases.STORED_BEFORE + 1))
        with ReplicaLoad(ports, CONNECTIONS) as load:
            load.run(run.rate, WARM_UP, addresses)
            before = database_server.cpu_seconds(), sum(map(_cpu_seconds, servers))
            responses, events = load.run(run.rate, run.seconds, addresses)
            after = database_server.cpu_seconds(), sum(map(_cpu_seconds, servers))
        stored = database_server.count(name) - databases.STORED_BEFORE
        if stored != len(responses) + run.rate * WARM_UP:
            raise MeasurementFailed(f"{stored} sign-ups are stored")
    database_server.remove(name)
    cpu = [(end - begin) * 1e6 / len(responses) for begin, end in zip(before, after, strict=True)]
    return responses, events, *cpu


def _cpu_seconds(server):
    return server.cpu_seconds()


def _table(rounds, rate):
    rows = []
    for replicas, figures in rounds.items():
        responses, events, of_server, of_replicas = zip(*figures, strict=True)
        row = [str(replicas), number(rate)]
        for samples in (responses, events):
            pooled = [sample for one in samples for sample in one]
            row += [number(percentile(pooled, 50)), number(percentile(pooled, 99))]
        rows.append([*row, middle(of_server), middle(of_replicas), "all, in order"])
    return markdown(
        ["replicas", "sign-ups/s", "sign-up p50 ms", "p99 ms", "event p50 ms", "p99 ms",
         "server's CPU µs", "replicas' CPU µs", "events"],
        rows,
    )
