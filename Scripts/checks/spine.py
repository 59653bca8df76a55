#!/usr/bin/env python3
"""Checks docs/life-of-a-request.md: its files and types exist.

Usage: spine.py PAGE SOURCES

The rows of its tables begin with a file's path in SOURCES, without `.swift`. Participants of the
diagrams are types. Prints each problem; exits with 1 if there is one.
"""
import pathlib
import re
import sys


def problems(page, sources):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    spine = re.findall(r"^\| `([A-Za-z+/]+)`", text, re.MULTILINE)
    if not spine:
        yield "no table names a file"
    for name in spine:
        if not (pathlib.Path(sources) / f"{name}.swift").is_file():
            yield f"{sources}/{name}.swift does not exist"
    code = "\n".join(
        file.read_text(encoding="utf-8") for file in sorted(pathlib.Path(sources).rglob("*.swift"))
    )
    for name in sorted(set(re.findall(r"^ *participant (\w+)", text, re.MULTILINE))):
        if not re.search(rf"\b(class|struct|enum|protocol|actor) {name}\b", code):
            yield f"the type {name} does not exist"


def main(arguments):
    if len(arguments) != 2:
        print("usage: spine.py PAGE SOURCES", file=sys.stderr)
        return 2
    found = list(problems(*arguments))
    for problem in found:
        print(f"{arguments[0]}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
