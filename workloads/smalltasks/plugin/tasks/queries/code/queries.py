"""Queries of URLs."""


def parse(query):
    """The values of each name of a query."""
    found = {}
    for piece in query.split("&"):
        name, value = piece.split("=")
        found[name] = [value]
    return found
