#!/usr/bin/env python3
"""Reports groups of files that all depend on each other and are larger than a limit.

usage: Scripts/checks/circles.py SOURCES LIMIT

SOURCES has one folder per module. A file depends on another file of its module if it uses a name
that only the other file declares unindented: a type, a function, a constant or a variable. Names
in comments and strings do not count, and a name that two files declare is not followed.

The exit code is 0 when no group has more than LIMIT files, 1 when at least one has, and 2 for wrong
usage.
"""

import collections
import pathlib
import re
import sys

DECLARATION = re.compile(
    r"^(?:@\S+ )*(?:(?:public|package|final|indirect|nonisolated) )*"
    r"(?:struct|class|enum|protocol|actor|typealias|let|var|func) `?(\w+)",
    re.MULTILINE,
)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')


def dependencies(module):
    """Returns the files that each file of a module depends on."""
    texts = {
        file: COMMENT_OR_STRING.sub(" ", file.read_text(encoding="utf-8"))
        for file in sorted(module.rglob("*.swift"))
    }
    declaring = collections.defaultdict(set)
    for file, text in texts.items():
        for name in DECLARATION.findall(text):
            declaring[name].add(file)
    home = {name: files.pop() for name, files in declaring.items() if len(files) == 1}
    return {
        file: {home[word] for word in re.findall(r"\w+", text) if word in home}
        for file, text in texts.items()
    }


def reachable(start, depends_on):
    """Returns the files that a file depends on, directly or through others."""
    reached, pending = set(), [start]
    while pending:
        new = depends_on[pending.pop()] - reached
        reached |= new
        pending += new
    return reached


def groups(module):
    """Returns the groups of files of a module that all reach each other."""
    depends_on = dependencies(module)
    reached = {file: reachable(file, depends_on) for file in depends_on}
    return {
        frozenset(other for other in reached[file] if file in reached[other])
        for file in depends_on
    }


def main(arguments):
    """Prints the groups above the limit and returns the exit code."""
    if len(arguments) != 2 or not arguments[1].isdecimal():
        print(__doc__, file=sys.stderr)
        return 2
    sources, limit = pathlib.Path(arguments[0]), int(arguments[1])
    is_exceeded = False
    for module in sorted(folder for folder in sources.iterdir() if folder.is_dir()):
        large = (group for group in groups(module) if len(group) > limit)
        for names in sorted(sorted(file.stem for file in group) for group in large):
            is_exceeded = True
            print(f"{module.name}: {len(names)} files depend on each other: {' '.join(names)}")
    return 1 if is_exceeded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
