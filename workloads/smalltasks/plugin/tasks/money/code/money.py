"""Amounts of money."""


class Money:
    """An amount in cents; it may be below zero."""

    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __str__(self):
        return f"{self.cents / 100}"

    def split(self, parts):
        """The amount in so many shares."""
        return [Money(self.cents // parts)] * parts
