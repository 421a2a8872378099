"""Prices."""


def read(text):
    """The price that a text tells."""
    return float(text)


def show(price):
    """A price as people read it."""
    return str(price)
