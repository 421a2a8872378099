"""Nested lists."""


def flatten(value):
    """The leaves of nested lists, in order."""
    leaves = []
    try:
        for part in value:
            leaves += flatten(part)
    except TypeError:
        leaves.append(value)
    return leaves
