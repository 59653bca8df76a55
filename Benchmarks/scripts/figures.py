"""Figures of several rounds, and how they are written down."""

from statistics import median


def number(value):
    """Three digits that mean something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def middle(values):
    """The median of the rounds, written down."""
    return number(median(values))


def ratio(values, references):
    """The median of each round's ratio, and the lowest and highest one."""
    ratios = [value / reference for value, reference in zip(values, references, strict=True)]
    return f"**{median(ratios):.2f}×** ({min(ratios):.2f}–{max(ratios):.2f})"


def markdown(columns, rows):
    """A table of Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def in_turns(contenders, turn):
    """The contenders in the order of a turn: everybody is first as often as the others."""
    start = turn % len(contenders)
    return contenders[start:] + contenders[:start]
