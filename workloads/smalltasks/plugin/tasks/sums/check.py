import unittest

from sums import value


class Check(unittest.TestCase):
    def test_groups(self):
        for text, want in (("10 - 3 - 2", 5), ("8 / 4 / 2", 1), ("2 - 3 + 4", 3), ("2 * (3 + 4)", 14), ("2 + 3 * 4 - 1", 13), ("7 / 2 * 2", 7)):
            self.assertEqual(value(text), want, text)

    def test_minus(self):
        for text, want in (("-2 * -(1 + 2)", 6), ("3 - -2", 5), ("-(2 - 5)", 3), ("--2", 2)):
            self.assertEqual(value(text), want, text)

    def test_bad(self):
        for text in ("", "1 +", "(1", "1)", "1 2", "*2", "()", "1 + (2 - ", "a", "(1 2)"):
            with self.assertRaises(ValueError, msg=text):
                value(text)
        with self.assertRaises(ZeroDivisionError):
            value("1 / (2 - 2)")
