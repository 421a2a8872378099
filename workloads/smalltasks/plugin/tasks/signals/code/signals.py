"""Signals and who hears them."""


class Signal:
    """Calls functions."""

    def __init__(self):
        self.functions = []

    def connect(self, function):
        """Has a function called; returns what undoes it."""
        self.functions.append(function)
        return lambda: self.functions.remove(function)

    def send(self, *args):
        """Calls all functions and returns their results."""
        return [function(*args) for function in self.functions]
