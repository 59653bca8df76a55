#!/usr/bin/env python3
"""Reports text for people that uses a word which the glossary replaces.

usage: Scripts/checks/words.py FILE...

Text for people is every line of a translation, a Markdown page or a script. In a Swift file it is
the string literals, without interpolations and without literals in comment lines. CONTRIBUTING
lists the replaced words, so Scripts/check leaves it out.

The exit code is 0 when no file uses such a word, 1 when at least one does, and 2 for wrong usage.
"""

import pathlib
import re
import sys

REPLACED = re.compile(
    r"\b(octets?|judg(?:e[sd]?|ing|ements?)|verdicts?|whoever|somebody|is none|told|lets? go of"
    r"|by the book|anew|dearer)\b"
    # "This is no address", but "is no longer" and "there is no address" are good English.
    r"|(?<!here )\b((?:is|are) no (?!longer)\w+)",
    re.IGNORECASE,
)
COMMENT_LINE = re.compile(r"^\s*//.*$", re.MULTILINE)
LITERAL = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")


def texts(path):
    """Returns the texts for people in a file."""
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".swift":
        return content.splitlines()
    literals = LITERAL.findall(COMMENT_LINE.sub("", content))
    return [INTERPOLATION.sub("", literal) for literal in literals]


def findings(path):
    """Returns a line for each replaced word in a file."""
    return [
        f"{path}: “{match[0]}” in: {text.strip()[:100]}"
        for text in texts(path)
        for match in REPLACED.finditer(text)
    ]


def main(names):
    """Prints the findings and returns the exit code."""
    if not names:
        print(__doc__, file=sys.stderr)
        return 2
    found = [finding for name in names for finding in findings(pathlib.Path(name))]
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
