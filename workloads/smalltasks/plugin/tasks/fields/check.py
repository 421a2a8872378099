import unittest

from fields import split


class Check(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(split("a,b,,c"), ["a", "b", "", "c"])
        self.assertEqual(split(""), [""])

    def test_quoted(self):
        self.assertEqual(split('"a,b",c'), ["a,b", "c"])
        self.assertEqual(split('"",x'), ["", "x"])

    def test_doubled(self):
        self.assertEqual(split('"a ""b"" c",d'), ['a "b" c', "d"])
        self.assertEqual(split('""""'), ['"'])
        self.assertEqual(split('"x""",""'), ['x"', ""])

    def test_open(self):
        for line in ('"a', 'a,"b', '"a""'):
            with self.assertRaises(ValueError):
                split(line)
