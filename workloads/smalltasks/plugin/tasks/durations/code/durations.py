"""Durations as people write them."""

import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
PIECE = re.compile(r"(\d+)([dhms])")


def seconds(text):
    """The length of a duration in seconds."""
    total = 0
    for number, unit in PIECE.findall(text):
        total += int(number) * UNITS[unit]
    return total
