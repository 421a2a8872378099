"""Orders of a list."""


def arrangements(items):
    """All orders of a list."""
    if not items:
        return [()]
    found = []
    for _ in range(len(items)):
        first = items.pop(0)
        found += [(first, *rest) for rest in arrangements(list(items))]
        items.append(first)
    items.clear()
    return found
