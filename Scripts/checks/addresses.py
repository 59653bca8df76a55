#!/usr/bin/env python3
"""Compares how two programs validate addresses, such as those of an image and of a build.

usage: Scripts/checks/addresses.py PROGRAM PROGRAM

The addresses are those of Tests/EmailAddressesTests, and some for each Unicode scalar: it alone in
the local part, alone in a label, and between letters and marks. There are 3.3 million of them, and
each program takes a minute or two.

The exit code is 0 when the programs agree, 1 when they do not, and 2 for wrong usage.
"""

import contextlib
import itertools
import pathlib
import re
import subprocess
import sys
import threading

TESTS = pathlib.Path(__file__).resolve().parent.parent.parent / "Tests/EmailAddressesTests"
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*@(?:\\.|[^"\\\n])*)"')
ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]+)\}")


def addresses():
    """Yields the addresses, each without line breaks."""
    for file in sorted(TESTS.rglob("*.swift")):
        for literal in LITERAL.findall(file.read_text(encoding="utf-8")):
            text = ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), literal)
            if "\\" not in text and "\n" not in text:
                yield text
    for value in itertools.chain(range(0x80, 0xD800), range(0xE000, 0x110000)):
        scalar = chr(value)
        yield f"a{scalar}@example.com"
        yield f"a@{scalar}.com"
        yield f"a@x{scalar}\u0301b.org"


def checking(program):
    """Starts the program, feeds it the addresses, and returns its lines of output."""
    process = subprocess.Popen(
        [program, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def feed():
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            for address in addresses():
                pipe.write(address.encode() + b"\n")

    threading.Thread(target=feed, daemon=True).start()
    return process.stdout


def main():
    """Compares the programs and returns the exit code."""
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    count, differences = 0, 0
    outputs = (checking(program) for program in sys.argv[1:])
    for address, one, other in itertools.zip_longest(addresses(), *outputs):
        count += 1
        if one != other or one is None:
            differences += 1
            if differences <= 10:
                print(f"{address!r}: {one} {other}")
        if one is None or other is None:
            print("a program has ended early")
            break
    print(f"{count} addresses, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
