"""Sorted sources."""


def merged(*sources, key=None):
    """All items of sorted sources, sorted."""
    return iter(sorted((item for source in sources for item in source), key=key))
