"""Sign-ups over one connection, without and with many open streams on the same service."""

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, ratio
from load import OpenStreams


def measure(run):
    """Returns the table."""
    count = run.service_streams
    alone, crowded = [], []
    for turn in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        with contenders.enlist(run.programs, path, settings=contenders.LONG_HISTORY) as server:
            for is_crowded in in_turns([False, True], turn):
                if is_crowded:
                    with OpenStreams(run.programs, server, count) as streams:
                        crowded.append(_sign_up(server, f"crowded{turn}", run.seconds))
                        streams.expect_open(count, streams.publish(0)["open"])
                else:
                    alone.append(_sign_up(server, f"alone{turn}", run.seconds))
        databases.remove(path)
        run.say(f"p50 of a sign-up: {alone[-1].p50_milliseconds:.3f} ms, "
                f"with {count} streams {crowded[-1].p50_milliseconds:.3f} ms")
    p50 = [[load.p50_milliseconds for load in side] for side in (crowded, alone)]
    speed = [[load.per_second for load in side] for side in (crowded, alone)]
    return markdown(
        ["streams", "p50 ms", "alone", "ratio", "sign-ups/s", "alone", "ratio"],
        [[f"{count:,}", middle(p50[0]), middle(p50[1]), ratio(*p50), middle(speed[0]),
          middle(speed[1]), ratio(*speed)]],
    )


def _sign_up(server, name, seconds):
    load = wrk.run(server, "/subscribers", 1, seconds, "sign_up.lua", [name])
    if load.rejections:
        raise MeasurementFailed(f"{server.name} rejected {load.rejections} sign-ups")
    return load
