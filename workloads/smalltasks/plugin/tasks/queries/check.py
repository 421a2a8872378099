import unittest

from queries import parse


class Check(unittest.TestCase):
    def test_lists(self):
        self.assertEqual(parse("a=1&b=2&a=3"), {"a": ["1", "3"], "b": ["2"]})

    def test_equals(self):
        self.assertEqual(parse("a=b=c&flag&x="), {"a": ["b=c"], "flag": [""], "x": [""]})

    def test_empty(self):
        self.assertEqual(parse(""), {})
        self.assertEqual(parse("a=1&&b=2&"), {"a": ["1"], "b": ["2"]})

    def test_escapes(self):
        self.assertEqual(parse("full+name=J%C3%B8rn+N"), {"full name": ["J\u00f8rn N"]})
        self.assertEqual(parse("a%3Db=c%26d"), {"a=b": ["c&d"]})
