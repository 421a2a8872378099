import unittest

from folders import largest, size

TREE = {"a": 5, "src": {"b": 9, "lib": {"c": 9, "d": 1}, "none": {}}, "e": 3}


class Check(unittest.TestCase):
    def test_size(self):
        self.assertEqual(size(TREE), 27)
        self.assertEqual(size({}), 0)
        self.assertEqual(size({"x": {"y": {}}}), 0)

    def test_largest(self):
        self.assertEqual(largest(TREE), "src/b")
        self.assertEqual(largest({"x": {"y": {"z": 0}}}), "x/y/z")
        self.assertEqual(largest({"b": 4, "a": {"c": 4}}), "a/c")
        self.assertIsNone(largest({"x": {}}))
        self.assertIsNone(largest({}))
