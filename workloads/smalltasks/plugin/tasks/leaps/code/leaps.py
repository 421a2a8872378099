"""Leap days."""


def is_leap(year):
    """Whether a year has a 29th of February."""
    return year % 4 == 0


def leap_days(first, last):
    """How many 29ths of February there are from one date to another."""
    return sum(is_leap(year) for year in range(first.year, last.year + 1))
