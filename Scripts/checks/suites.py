#!/usr/bin/env python3
"""Reports test suites whose traits do not fit.

usage: Scripts/checks/suites.py TESTS

A suite in the folder TESTS that names one of the helpers below has a `.timeLimit` trait, or each of
its tests has one. Otherwise a service that never responds would block the whole run. A suite with
the trait `.alone` has the name of its file, by which Scripts/test finds it. A file has one suite.

The exit code is 0 when the traits of every suite fit, 1 when those of at least one do not, and 2 for
wrong usage.
"""

import pathlib
import re
import sys

HELPER = re.compile(
    r"\b(?:Browser|ChildProcess|DNSTestServer|LocalListener|NotifySocket|OtherProcess"
    r"|RunningService|SecureService|SecureSession|SocketClient|TestServer)\b"
)
# From the attribute to the declaration: the traits are in between.
ATTRIBUTE = re.compile(
    r"^ *@(Suite|Test)\b(.*?)\b(?:struct|class|actor|enum|func)\b *(\w*)",
    re.DOTALL | re.MULTILINE,
)


def is_limited(attributes):
    """Returns whether a time limit applies to each test of a file."""
    limited = {kind for kind, traits, _ in attributes if ".timeLimit(" in traits}
    return "Suite" in limited or all(
        ".timeLimit(" in traits for kind, traits, _ in attributes if kind == "Test"
    )


def findings(folder):
    """Returns a line for each trait that a suite needs, or that Scripts/test would not find."""
    for path in sorted(folder.rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        attributes = ATTRIBUTE.findall(text)
        helper = HELPER.search(text)
        if helper and "@Suite" in text and not is_limited(attributes):
            yield f"{path}: the suite uses {helper[0]} without a .timeLimit"
        for kind, traits, name in attributes:
            if kind == "Suite" and ".alone" in traits and name != path.stem:
                yield f"{path}: the suite {name} is .alone, but not named like its file"


def main(arguments):
    """Prints the findings and returns the exit code."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(findings(pathlib.Path(arguments[0])))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
