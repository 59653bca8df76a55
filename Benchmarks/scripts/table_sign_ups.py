"""Durable sign-ups, against the whole job in C."""

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, ratio

CONNECTIONS = (1, 16, 64)


def measure(run):
    """Returns the table, with LOST where a response has no row."""
    loads = {(name, count): [] for name in ("enlist", "floor") for count in CONNECTIONS}
    lost = set()
    for turn in range(run.rounds):
        paths = {
            "enlist": run.seeds.copy(run.seeds.enlist),
            "floor": run.seeds.copy(run.seeds.floor),
        }
        with (
            contenders.enlist(run.programs, paths["enlist"], run.slow_disk) as enlist,
            contenders.sign_up_floor(run.programs, paths["floor"], run.slow_disk) as floor,
        ):
            for count in CONNECTIONS:
                for server in in_turns([enlist, floor], turn):
                    name = "enlist" if server is enlist else "floor"
                    load, is_complete = _load(server, paths[name], count, run.seconds)
                    loads[name, count].append(load)
                    if not is_complete:
                        lost.add(count)
                    run.say(f"sign-ups, {count} connections, {server.name}: "
                            f"{load.cpu_microseconds:.1f} µs, {load.per_second:.0f}/s")
        for path in paths.values():
            databases.remove(path)
    return _table(loads, lost)


def _load(server, path, connections, seconds):
    before = databases.count(path)
    load = wrk.run(server, "/subscribers", connections, seconds, "sign_up.lua", [f"run{before}"])
    stored = databases.count(path) - before
    if load.rejections:
        raise MeasurementFailed(f"{server.name} rejected {load.rejections} sign-ups")
    return load, stored >= load.responses


def _table(loads, lost):
    rows = []
    for count in CONNECTIONS:
        enlist, floor = loads["enlist", count], loads["floor", count]
        cpu = [[load.cpu_microseconds for load in side] for side in (enlist, floor)]
        speed = [[load.per_second for load in side] for side in (enlist, floor)]
        p50 = [[load.p50_milliseconds for load in side] for side in (enlist, floor)]
        rows.append([
            str(count), middle(cpu[0]), middle(cpu[1]), ratio(*cpu), middle(speed[0]),
            middle(speed[1]), ratio(*speed), middle(p50[0]), middle(p50[1]),
            "**LOST**" if count in lost else "all",
        ])
    return markdown(
        ["connections", "CPU µs", "floor", "ratio", "sign-ups/s", "floor", "ratio", "p50 ms",
         "floor", "stored"],
        rows,
    )
