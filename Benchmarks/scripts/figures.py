"""Formats the figures of several rounds."""

from statistics import median, quantiles


def number(value):
    """Formats a number with three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    if value == 0:
        return "0"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def middle(values):
    """Formats the median of the rounds."""
    return number(median(values))


def percentile(values, percent):
    """Returns the value that this percentage of the values does not exceed."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def ratio(values, references):
    """Formats the median, lowest and highest of the rounds' ratios."""
    ratios = [value / reference for value, reference in zip(values, references, strict=True)]
    return f"**{median(ratios):.2f}×** ({min(ratios):.2f}–{max(ratios):.2f})"


def markdown(columns, rows):
    """Formats a Markdown table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def in_turns(contenders, turn):
    """Returns the contenders in the order of a turn: each one is first equally often."""
    start = turn % len(contenders)
    return contenders[start:] + contenders[:start]
