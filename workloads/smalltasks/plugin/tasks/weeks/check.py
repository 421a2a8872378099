import unittest
from datetime import date, timedelta

from weeks import label, monday


class Check(unittest.TestCase):
    def test_labels(self):
        for day, want in (
            ((2021, 1, 1), "2020-W53"),
            ((2024, 12, 30), "2025-W01"),
            ((2024, 2, 14), "2024-W07"),
            ((2023, 1, 1), "2022-W52"),
            ((2026, 1, 4), "2026-W01"),
        ):
            self.assertEqual(label(date(*day)), want)

    def test_back(self):
        day = date(2019, 12, 2)
        while day.year < 2027:
            self.assertEqual(monday(label(day)), day - timedelta(days=day.weekday()))
            day += timedelta(days=3)

    def test_bad(self):
        for text in ("", "2024", "2024-W00", "2024-W53", "2024-W7", "2024-07", "x2024-W07", "2024-W07x"):
            with self.assertRaises(ValueError, msg=text):
                monday(text)
