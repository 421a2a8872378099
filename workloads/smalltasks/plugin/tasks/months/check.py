import unittest
from datetime import date

from months import add_months


class Check(unittest.TestCase):
    def test_moves(self):
        for day, count, want in (
            ((2023, 1, 15), 1, (2023, 2, 15)),
            ((2023, 1, 31), 1, (2023, 2, 28)),
            ((2024, 1, 31), 1, (2024, 2, 29)),
            ((2023, 11, 30), 2, (2024, 1, 30)),
            ((2023, 12, 31), 0, (2023, 12, 31)),
            ((2023, 11, 30), 1, (2023, 12, 30)),
            ((2024, 3, 31), -1, (2024, 2, 29)),
            ((2024, 1, 15), -1, (2023, 12, 15)),
            ((2024, 1, 31), -26, (2021, 11, 30)),
            ((2020, 2, 29), 48, (2024, 2, 29)),
        ):
            self.assertEqual(add_months(date(*day), count), date(*want), (day, count))
