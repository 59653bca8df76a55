"""Durable sign-ups with double opt-in, against the same rows in C and against no mail."""

from contextlib import ExitStack
from dataclasses import dataclass

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, ratio
from relay import Relay

CONNECTIONS = (1, 16, 64)

# The options of MailSink.
RELAYS = {
    "away": ["--refuse"],
    "takes 300 ms": ["--delay", "300"],
    "accepts": [],
}

# "away" is between the two sides with which it is compared.
SIDES = ["no mail", "away", "floor", "takes 300 ms", "accepts"]


@dataclass(frozen=True)
class MailLoad:
    """The results of one run."""

    requests: wrk.Load
    mails: int  # that the relay accepted during the run
    is_complete: bool  # whether each response has its rows


def measure(run):
    """Returns the table, with LOST where a response has no row."""
    loads = {(side, count): [] for side in SIDES for count in CONNECTIONS}
    for turn in range(run.rounds):
        for count in CONNECTIONS:
            for side in in_turns(SIDES, turn):
                load = _measure_side(run, side, count)
                loads[side, count].append(load)
                run.say(f"sign-ups with mail, {count} connections, {side}: "
                        f"{load.requests.cpu_microseconds:.1f} µs, "
                        f"{load.requests.per_second:.0f}/s, "
                        f"{load.mails / run.seconds:.0f} mails/s"
                        f"{'' if load.is_complete else ', LOST'}")
    return _table(loads, run.seconds)


def _measure_side(run, side, connections):
    """Loads one side, alone: the mails of a run are sent for long after it, and cost CPU time."""
    path = run.seeds.copy(run.seeds.enlist)
    with ExitStack() as stack:
        relay = None
        if side in RELAYS:
            relay = stack.enter_context(Relay(run.programs, f"relay {side}", *RELAYS[side]))
            server = contenders.enlist_with_mail(run.programs, path, relay, run.slow_disk)
        elif side == "floor":
            server = contenders.sign_up_floor_with_outbox(run.programs, path, run.slow_disk)
        else:
            server = contenders.enlist(
                run.programs, path, run.slow_disk, contenders.PUBLIC_URL, "enlist, no mail"
            )
        stack.enter_context(server)
        load = _load(server, relay, path, connections, run.seconds, has_outbox=side != "no mail")
    databases.remove(path)
    return load


def _load(server, relay, path, connections, seconds, has_outbox):
    load = wrk.run(server, "/subscribers", connections, seconds, "sign_up.lua", ["mail"])
    if load.rejections:
        raise MeasurementFailed(f"{server.name} rejected {load.rejections} sign-ups")
    mails = relay.mails() if relay else 0
    is_complete = databases.count(path) - databases.STORED_BEFORE >= load.responses
    if has_outbox:
        # The rows first: a mail is deleted after it was accepted.
        queued = databases.count(path, "outbox")
        accepted = relay.mails() if relay else 0
        is_complete = is_complete and queued + accepted >= load.responses
    return MailLoad(load, mails, is_complete)


def _table(loads, seconds):
    rows = []
    for count in CONNECTIONS:

        def values(side, name):
            return [getattr(load.requests, name) for load in loads[side, count]]

        for side in ("no mail", *RELAYS):
            cpu = values(side, "cpu_microseconds")
            speed = values(side, "per_second")
            p50 = values(side, "p50_milliseconds")
            row = [str(count), side, middle(cpu), "–", "–", middle(speed), "–", middle(p50), "–"]
            if side in RELAYS:
                floor = values("floor", "cpu_microseconds")
                row[3], row[4] = middle(floor), ratio(cpu, floor)
                row[6] = ratio(speed, values("no mail", "per_second"))
                row[8] = ratio(p50, values("no mail", "p50_milliseconds"))
            sides = [side, "floor"] if side in RELAYS else [side]
            is_complete = all(load.is_complete for name in sides for load in loads[name, count])
            mails = middle([load.mails / seconds for load in loads[side, count]])
            row += [mails if side in RELAYS else "–", "all" if is_complete else "**LOST**"]
            rows.append(row)
    return markdown(
        ["connections", "relay", "CPU µs", "floor", "ratio", "sign-ups/s", "ratio", "p50 ms",
         "ratio", "mails/s", "stored"],
        rows,
    )
