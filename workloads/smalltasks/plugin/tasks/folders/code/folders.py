"""Folders as dicts."""


def size(folder):
    """The size of all files in a folder."""
    return sum(entry for entry in folder.values() if isinstance(entry, int))


def largest(folder):
    """The path of the largest file."""
    return max((name for name in folder if isinstance(folder[name], int)), key=folder.get)
