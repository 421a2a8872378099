"""Orders."""


def take(shelf, wanted):
    """Takes an order from a shelf, and tells whether that went well."""
    for name, count in wanted:
        if not shelf.has(name, count):
            return False
        shelf.remove(name, count)
    return True
