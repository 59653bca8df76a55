"""The time to respond to a sign-up with double opt-in, at a fixed rate, against no mail."""

from contextlib import ExitStack
from itertools import count

import contenders
import databases
from failure import MeasurementFailed
from figures import in_turns, markdown, number, percentile, ratio
from relay import Relay
from replica_load import ReplicaLoad
from table_mail import RELAYS

CONNECTIONS = 40
WARM_UP = 1  # seconds

# "away" is beside the side with which it is compared.
SIDES = ["no mail", "away", "takes 300 ms", "accepts"]


def measure(run):
    """Returns the table."""
    responses = {side: [] for side in SIDES}
    for turn in range(run.rounds):
        for side in in_turns(SIDES, turn):
            times = _measure_side(run, side)
            responses[side].append(times)
            run.say(f"sign-ups at {run.rate}/s, {side}: p50 {percentile(times, 50):.2f} ms, "
                    f"p99 {percentile(times, 99):.2f} ms")
    return _table(responses, run.rate)


def _measure_side(run, side):
    """Returns the milliseconds to the responses of one side."""
    path = run.seeds.copy(run.seeds.enlist)
    with ExitStack() as stack:
        if side in RELAYS:
            relay = stack.enter_context(Relay(run.programs, f"relay {side}", *RELAYS[side]))
            server = contenders.enlist_with_mail(run.programs, path, relay, run.slow_disk)
        else:
            server = contenders.enlist(
                run.programs, path, run.slow_disk, contenders.PUBLIC_URL, "enlist, no mail"
            )
        stack.enter_context(server)
        addresses = map(databases.address, count(databases.STORED_BEFORE + 1))
        with ReplicaLoad([server.port], CONNECTIONS) as load:
            load.run(run.rate, WARM_UP, addresses)
            times, _ = load.run(run.rate, run.seconds, addresses)
        stored = databases.count(path) - databases.STORED_BEFORE
        if stored != len(times) + run.rate * WARM_UP:
            raise MeasurementFailed(f"{stored} sign-ups are stored")
    databases.remove(path)
    return times


def _table(responses, rate):
    rows = []
    for side in SIDES:
        row = [side, number(rate)]
        for percent in (50, 99):
            pooled = [time for times in responses[side] for time in times]
            row.append(number(percentile(pooled, percent)))
            values, references = (
                [percentile(times, percent) for times in responses[name]]
                for name in (side, "no mail")
            )
            row.append(ratio(values, references) if side in RELAYS else "–")
        rows.append(row)
    return markdown(["relay", "sign-ups/s", "p50 ms", "ratio", "p99 ms", "ratio"], rows)
