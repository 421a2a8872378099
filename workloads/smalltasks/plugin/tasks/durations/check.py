import unittest

from durations import seconds


class Check(unittest.TestCase):
    def test_good(self):
        for text, want in (("1h30m", 5400), ("45s", 45), ("2d", 172800), (" 1m5s ", 65), ("0s", 0)):
            self.assertEqual(seconds(text), want, text)

    def test_bad(self):
        for text in ("", "   ", "1h30", "abc", "1h 30m", "h", "-5s", "5s!", "1m2m"):
            with self.assertRaises(ValueError, msg=text):
                seconds(text)
