"""What is in stock."""


class Shelf:
    """Counts of things."""

    def __init__(self, stock={}):
        self.stock = stock

    def put(self, name, count):
        """Puts so many of a thing."""
        self.stock[name] = self.stock.get(name, 0) + count

    def remove(self, name, count):
        """Takes so many of a thing."""
        self.stock[name] -= count

    def has(self, name, count):
        """Whether there are so many of a thing."""
        return self.stock.get(name, 0) >= count
