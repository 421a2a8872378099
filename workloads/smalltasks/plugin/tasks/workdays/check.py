import unittest
from datetime import date

from workdays import deadline, workdays


class Check(unittest.TestCase):
    def days(self, *numbers):
        return [date(2024, 5, n) for n in numbers]

    def test_workdays(self):
        first, last = self.days(1, 7)
        self.assertEqual(workdays(first, last), self.days(1, 2, 3, 6, 7))
        self.assertEqual(workdays(first, last, self.days(1, 4)), self.days(2, 3, 6, 7))
        self.assertEqual(workdays(last, first), [])
        self.assertEqual(workdays(*self.days(4, 5)), [])

    def test_deadline(self):
        for start, days, holidays, want in ((1, 1, (), 2), (3, 1, (), 6), (4, 0, (), 6), (1, 0, (), 1), (1, 0, (1,), 2), (2, 2, (6,), 7), (4, 1, (), 7)):
            self.assertEqual(deadline(date(2024, 5, start), days, self.days(*holidays)), date(2024, 5, want), (start, days, holidays))
