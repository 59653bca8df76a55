"""Builds the measured programs in release."""

import os
import subprocess
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


@dataclass(frozen=True)
class Programs:
    """The paths of the executables and of the fsync library."""

    enlist: str
    benchmarks: str
    floor: str
    load: str
    mail_sink: str
    fsync_delay: str


def build(folder):
    """Builds everything in release, and the library with the slow fsync into `folder`."""
    for product in ("enlist", "EnlistBenchmarks", "HTTPFloor", "StreamLoad", "MailSink"):
        subprocess.run(
            ["swift", "build", "-c", "release", "--product", product],
            cwd=ROOT, check=True, stdout=sys.stderr,
        )
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    )
    binaries = shown.stdout.strip()
    library = os.path.join(folder, "fsync_delay.so")
    subprocess.run(
        ["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC",
         "-o", library, os.path.join(HERE, "fsync_delay.c"), "-ldl"],
        check=True,
    )
    return Programs(
        enlist=os.path.join(binaries, "enlist"),
        benchmarks=os.path.join(binaries, "EnlistBenchmarks"),
        floor=os.path.join(binaries, "HTTPFloor"),
        load=os.path.join(binaries, "StreamLoad"),
        mail_sink=os.path.join(binaries, "MailSink"),
        fsync_delay=library,
    )
