"""A small cache."""


class Recent:
    """Keeps the entries that were used last."""

    def __init__(self, size):
        self.size = size
        self.entries = {}

    def put(self, name, value):
        """Puts an entry, and drops one where there are too many."""
        self.entries[name] = value
        if len(self.entries) > self.size:
            self.entries.pop(next(iter(self.entries)))

    def get(self, name):
        """The value of an entry, or None."""
        return self.entries.get(name)

    def __contains__(self, name):
        return name in self.entries

    def names(self):
        """All names."""
        return list(self.entries)
