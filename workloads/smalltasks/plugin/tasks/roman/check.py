import unittest

from roman import to_int, to_roman


class Check(unittest.TestCase):
    def test_round_trip(self):
        for number in range(1, 4000, 7):
            self.assertEqual(to_int(to_roman(number)), number)

    def test_bad(self):
        for text in ("", "IIII", "VX", "IC", "MMMM", "ABC", "iv", "IVI"):
            with self.assertRaises(ValueError, msg=text):
                to_int(text)
