import unittest

from versions import newest


class Check(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(newest(["1.9.2", "1.10.0", "1.2"]), "1.10.0")
        self.assertEqual(newest(["10.0", "9.99.99"]), "10.0")

    def test_missing(self):
        self.assertEqual(newest(["1.2", "1.2.0", "1.2.0.0"]), "1.2")
        self.assertEqual(newest(["1.2", "1.2.1"]), "1.2.1")

    def test_suffix(self):
        self.assertEqual(newest(["2.0.0-rc1", "2.0.0", "2.0.0-rc2"]), "2.0.0")
        self.assertEqual(newest(["2.0.0-rc1", "2.0.0-rc2"]), "2.0.0-rc2")
        self.assertEqual(newest(["1.0", "2-alpha"]), "2-alpha")
