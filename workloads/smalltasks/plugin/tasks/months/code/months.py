"""Dates moved by months."""


def add_months(day, count):
    """The date so many months later, on the last day of its month where that is shorter."""
    return day.replace(month=day.month + count)
