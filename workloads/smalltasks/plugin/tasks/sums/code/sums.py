"""Sums with brackets."""

import re

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[-+*/()])")


def tokens(text):
    """The numbers and signs of a sum."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"{text!r}: what is at {at}?")
        found.append(match[1])
        at = match.end()
    return found


def value(text):
    """What a sum comes to."""
    left = tokens(text)
    result = sum_of(left)
    if left:
        raise ValueError(f"{text!r}: {left[0]!r} is too much")
    return result


def sum_of(left):
    first = product(left)
    if left and left[0] in "+-":
        sign = left.pop(0)
        rest = sum_of(left)
        return first + rest if sign == "+" else first - rest
    return first


def product(left):
    first = factor(left)
    if left and left[0] in "*/":
        sign = left.pop(0)
        rest = product(left)
        return first * rest if sign == "*" else first / rest
    return first


def factor(left):
    token = left.pop(0)
    if token == "(":
        inside = sum_of(left)
        left.pop(0)
        return inside
    return float(token) if "." in token else int(token)
