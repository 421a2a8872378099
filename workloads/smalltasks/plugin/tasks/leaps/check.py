import unittest
from datetime import date

from leaps import is_leap, leap_days


class Check(unittest.TestCase):
    def test_centuries(self):
        self.assertEqual([y for y in (1900, 1999, 2000, 2004, 2100, 2400) if is_leap(y)], [2000, 2004, 2400])

    def test_ends(self):
        for first, last, want in (
            ((2024, 2, 29), (2024, 2, 29), 1),
            ((2024, 3, 1), (2024, 12, 31), 0),
            ((2024, 1, 1), (2024, 2, 28), 0),
            ((2023, 1, 1), (2025, 1, 1), 1),
            ((1896, 3, 1), (1904, 2, 28), 0),
            ((1996, 2, 29), (2004, 2, 29), 3),
            ((2024, 3, 1), (2024, 1, 1), 0),
            ((2028, 3, 1), (2024, 1, 1), 0),
        ):
            self.assertEqual(leap_days(date(*first), date(*last)), want, (first, last))
