"""Sends one event to many streams, against sockets taken over from libmicrohttpd in C."""

import contenders
from figures import in_turns, markdown, middle, ratio
from load import OpenStreams

# Enough for the kernel's clock of CPU time, which has a resolution of 10 ms.
DELIVERIES = 1_000_000
WARM_UP_EVENTS = 5


def measure(run):
    """Returns the table, with LOST where an event did not arrive, or not in order."""
    sides = {"enlist": contenders.enlist_streams, "floor": contenders.streams_floor}
    costs = {(name, count): [] for name in sides for count in run.streams}
    lost = set()
    for turn in range(run.rounds):
        for count in run.streams:
            for name in in_turns(list(sides), turn):
                with sides[name](run.programs) as server:
                    cost, is_complete = _deliver(run, server, count)
                costs[name, count].append(cost)
                if not is_complete:
                    lost.add((name, count))
                run.say(f"{count} streams, {name}: {cost:.2f} µs")
    return _table(run, costs, lost)


def _deliver(run, server, count):
    """Returns the CPU microseconds per delivery, and whether all events arrived in order."""
    events = max(10, min(2000, DELIVERIES // count))
    with OpenStreams(run.programs, server, count) as streams:
        streams.publish(WARM_UP_EVENTS)
        cpu = server.cpu_seconds()
        result = streams.publish(events)
        cpu = server.cpu_seconds() - cpu
    due = events * count
    is_complete = result == {"in-order": due, "out-of-order": 0, "open": count}
    return cpu * 1e6 / due, is_complete


def _table(run, costs, lost):
    rows = []
    for count in run.streams:
        enlist, floor = costs["enlist", count], costs["floor", count]
        results = [
            f"**{name} LOST**" for name in ("enlist", "floor") if (name, count) in lost
        ]
        rows.append([
            f"{count:,}", middle(enlist), middle(floor), ratio(enlist, floor),
            ", ".join(results) or "all, in order",
        ])
    return markdown(
        ["streams", "CPU µs per delivery", "floor", "ratio", "delivered"], rows
    )
