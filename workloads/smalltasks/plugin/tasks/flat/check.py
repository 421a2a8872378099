import unittest

from flat import flatten


class Check(unittest.TestCase):
    def test_nested(self):
        self.assertEqual(flatten([1, (2, [3, []]), 4]), [1, 2, 3, 4])
        self.assertEqual(flatten(5), [5])
        self.assertEqual(flatten([]), [])

    def test_leaves(self):
        self.assertEqual(flatten(["ab", b"cd", ["e", None], {"k": [1]}]), ["ab", b"cd", "e", None, {"k": [1]}])
        self.assertEqual(flatten("abc"), ["abc"])

    def test_lazy(self):
        self.assertEqual(flatten([(n * n for n in range(3)), {7}]), [0, 1, 4, 7])

    def test_deep(self):
        deep = [1]
        for n in range(100_000):
            deep = [deep]
        self.assertEqual(flatten(deep), [1])
        while deep and isinstance(deep[0], list):  # taken apart here, since the interpreter would recurse
            deep = deep.pop()
