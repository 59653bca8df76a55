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


# The service contains Swift's libraries, as in the image and the packages.
STATIC = ["--static-swift-stdlib", "--scratch-path", ".build-static"]


def build(folder):
    """Builds everything in release, and the library with the slow fsync into `folder`."""
    enlist = os.path.join(_build("enlist", *STATIC), "enlist")
    for product in ("EnlistBenchmarks", "HTTPFloor", "StreamLoad", "MailSink"):
        binaries = _build(product)
    library = os.path.join(folder, "fsync_delay.so")
    subprocess.run(
        ["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC",
         "-o", library, os.path.join(HERE, "fsync_delay.c"), "-ldl"],
        check=True,
    )
    return Programs(
        enlist=enlist,
        benchmarks=os.path.join(binaries, "EnlistBenchmarks"),
        floor=os.path.join(binaries, "HTTPFloor"),
        load=os.path.join(binaries, "StreamLoad"),
        mail_sink=os.path.join(binaries, "MailSink"),
        fsync_delay=library,
    )


def _build(product, *options):
    """Builds a product, and returns the folder of its executable."""
    command = ["swift", "build", "-c", "release", *options]
    subprocess.run([*command, "--product", product], cwd=ROOT, check=True, stdout=sys.stderr)
    shown = subprocess.run(
        [*command, "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return shown.stdout.strip()
