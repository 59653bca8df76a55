"""Rejections and email checks, against responses directly from the access handler."""

import contenders
import databases
import wrk
from failure import MeasurementFailed
from figures import in_turns, markdown, middle, ratio

CONNECTIONS = 64

# The requests, and the status that both servers must respond with.
REQUESTS = {
    "404": ("GET", "/nothing", "", 404),
    "400, malformed JSON": ("POST", "/subscribers", '{"email":', 400),
    "422, `ana@`": ("POST", "/subscribers", '{"email":"ana@"}', 422),
    "check, empty": ("POST", "/email-checks", '{"email":""}', 200),
    "check, `ana@example.com`": ("POST", "/email-checks", '{"email":"ana@example.com"}', 200),
    "check, `ana@gmail.com`": ("POST", "/email-checks", '{"email":"ana@gmail.com"}', 200),
    "check, `ana@gmial.com`": ("POST", "/email-checks", '{"email":"ana@gmial.com"}', 200),
}


def measure(run):
    """Returns the table."""
    loads = {(name, title): [] for name in ("enlist", "floor") for title in REQUESTS}
    for turn in range(run.rounds):
        path = run.seeds.copy(run.seeds.enlist)
        with (
            contenders.enlist(run.programs, path) as enlist,
            contenders.direct_floor(run.programs) as floor,
        ):
            for title, request in REQUESTS.items():
                for server in in_turns([enlist, floor], turn):
                    load = _load(server, request, run.seconds)
                    loads["enlist" if server is enlist else "floor", title].append(load)
                    run.say(f"{title}, {server.name}: {load.cpu_microseconds:.2f} µs")
        databases.remove(path)
    return _table(loads)


def _load(server, request, seconds):
    method, path, body, expected = request
    status = server.status(method, path, body)
    if status != expected:
        raise MeasurementFailed(f"{server.name} responded to {method} {path} {body} with {status} "
                                f"instead of {expected}")
    load = wrk.run(server, path, CONNECTIONS, seconds, "request.lua", [method, body])
    if load.rejections != (load.responses if expected >= 400 else 0):
        raise MeasurementFailed(f"{server.name} responded with other statuses under load")
    return load


def _table(loads):
    rows = []
    for title in REQUESTS:
        enlist, floor = loads["enlist", title], loads["floor", title]
        cpu = [[load.cpu_microseconds for load in side] for side in (enlist, floor)]
        speed = [[load.per_second for load in side] for side in (enlist, floor)]
        rows.append([
            title, middle(cpu[0]), middle(cpu[1]), ratio(*cpu), middle(speed[0]), middle(speed[1])
        ])
    return markdown(["request", "CPU µs", "floor", "ratio", "requests/s", "floor"], rows)
