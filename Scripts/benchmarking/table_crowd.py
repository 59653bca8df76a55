"""One connection that signs up, without and with many streams open on the same service."""

import contenders
import databases
import wrk
from figures import in_turns, markdown, middle, ratio
from load import OpenStreams


def measure(run):
    """Gives the table."""
    count = max(run.streams)
    alone, crowded = [], []
    for turn in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        with contenders.enlist(run.programs, path) as server:
            for is_crowded in in_turns([False, True], turn):
                if is_crowded:
                    with OpenStreams(run.programs, server, count) as streams:
                        crowded.append(_sign_up(server, f"crowded{turn}", run.seconds))
                        streams.expect_open(count, streams.publish(0)["open"])
                else:
                    alone.append(_sign_up(server, f"alone{turn}", run.seconds))
        databases.remove(path)
        run.say(f"p50 of a sign-up: {alone[-1]:.3f} ms, with {count} streams {crowded[-1]:.3f} ms")
    return markdown(
        ["streams", "p50 ms", "p50 ms without streams", "ratio"],
        [[f"{count:,}", middle(crowded), middle(alone), ratio(crowded, alone)]],
    )


def _sign_up(server, name, seconds):
    load = wrk.run(server, "/subscribers", 1, seconds, "sign_up.lua", [name])
    if load.refusals:
        raise RuntimeError(f"{server.name} refused {load.refusals} sign-ups")
    return load.p50_milliseconds
