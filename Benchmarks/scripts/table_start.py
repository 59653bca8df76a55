"""Time from process start to the first response, and the resident memory then."""

import time

import contenders
import databases
from figures import in_turns, markdown, middle

STARTS_PER_ROUND = 3


def measure(run):
    """Returns the table."""
    sides = {
        "enlist": (contenders.enlist, run.seeds.enlist),
        "floor": (contenders.sign_up_floor, run.seeds.floor),
    }
    starts = {name: [] for name in sides}
    memory = {name: [] for name in sides}
    for turn in range(run.rounds * STARTS_PER_ROUND):
        for name in in_turns(list(sides), turn):
            start, seed = sides[name]
            path = run.seeds.copy(seed)
            with start(run.programs, path) as server:
                time.sleep(0.5)
                starts[name].append(server.start_milliseconds)
                memory[name].append(server.resident_kib() / 1024)
            databases.remove(path)
            run.say(f"{name}: {starts[name][-1]:.1f} ms, {memory[name][-1]:.1f} MiB")
    rows = [
        [name, middle(starts[name]), f"{min(starts[name]):.1f}–{max(starts[name]):.1f}",
         middle(memory[name])]
        for name in sides
    ]
    return markdown(["", "ms to first response", "lowest–highest", "resident MiB, idle"], rows)
