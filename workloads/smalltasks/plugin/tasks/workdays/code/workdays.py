"""Days on which people work."""

from datetime import timedelta


def is_workday(day, holidays=()):
    """Whether people work on a day."""
    return day.weekday() < 4


def workdays(first, last, holidays=()):
    """The workdays from one date to another."""
    days = []
    while first < last:
        if is_workday(first, holidays):
            days.append(first)
        first += timedelta(days=1)
    return days


def deadline(start, days, holidays=()):
    """The day that is so many workdays after another."""
    return start + timedelta(days=days)
