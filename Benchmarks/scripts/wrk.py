"""Load on requests, by wrk."""

import os
import re
import subprocess
from dataclasses import dataclass

from failure import MeasurementFailed
from programs import HERE

MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}


@dataclass(frozen=True)
class Load:
    """What one run brought."""

    responses: int
    rejections: int  # of the responses, those that are neither 2xx nor 3xx
    per_second: float
    p50_milliseconds: float
    cpu_microseconds: float  # of the server, for each response


def run(server, path, connections, seconds, script, arguments):
    """Loads a server, and takes what CPU it uses over exactly that time."""
    command = [
        "wrk", "--threads", str(min(2, connections)), "--connections", str(connections),
        "--duration", f"{seconds}s", "--latency", "--script", os.path.join(HERE, script),
        server.url(path), "--", *arguments,
    ]
    before = server.cpu_seconds()
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    cpu = server.cpu_seconds() - before
    output = result.stdout
    errors = re.search(r"Socket errors: .*", output)
    if errors:
        raise MeasurementFailed(f"{server.name}: {errors.group()}")
    responses = int(re.search(r"(\d+) requests in", output).group(1))
    rejections = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    p50, unit = re.search(r"^\s+50%\s+([\d.]+)(us|ms|s|m)", output, re.M).groups()
    return Load(
        responses=responses,
        rejections=int(rejections.group(1)) if rejections else 0,
        per_second=float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)),
        p50_milliseconds=float(p50) * MILLISECONDS[unit],
        cpu_microseconds=cpu * 1e6 / responses,
    )
