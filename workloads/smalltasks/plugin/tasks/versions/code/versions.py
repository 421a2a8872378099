"""The order of version numbers."""


def key(version):
    """What versions are compared by."""
    return version


def newest(versions):
    """The highest version of a list that is not empty."""
    return max(versions, key=key)
