"""A cart of a shop."""

import prices


class Cart:
    """What somebody buys."""

    def __init__(self, discount=0):
        self.discount = discount
        self.lines = []

    def add(self, name, price, count=1):
        """Adds so many of a thing; the price is a text."""
        self.lines.append((name, prices.read(price), count))

    def total(self):
        """What all of it costs."""
        return sum(round(price * count) for _, price, count in self.lines)

    def receipt(self):
        """The lines of the receipt."""
        shown = [f"{count} x {name} = {prices.show(price)}" for name, price, count in self.lines]
        return [*shown, f"total = {prices.show(self.total())}"]
