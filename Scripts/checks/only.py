#!/usr/bin/env python3
"""Reports modules that use what belongs to one other module.

usage: Scripts/checks/only.py SOURCES MODULE PATTERN

Each folder in SOURCES is a module. No Swift file of a module other than MODULE has a line that
matches the regular expression PATTERN. MODULE itself has at least one, so that a rule for something
that is gone is noticed.

The exit code is 0 when the rule holds, 1 when it does not, and 2 for wrong usage.
"""

import pathlib
import re
import sys


def uses(sources, pattern):
    """Yields the module and the path of each Swift file with a line that matches."""
    for path in sorted(sources.rglob("*.swift")):
        if any(pattern.search(line) for line in path.read_text(encoding="utf-8").splitlines()):
            yield path.relative_to(sources).parts[0], path


def main(arguments):
    """Prints the findings and returns the exit code."""
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, module, pattern = arguments
    found = list(uses(pathlib.Path(folder), re.compile(pattern)))
    findings = [
        f"{path}: only {module} may use '{pattern}'" for user, path in found if user != module
    ]
    if all(user != module for user, _ in found):
        findings.append(f"{module} does not use '{pattern}'; remove or correct the rule")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
