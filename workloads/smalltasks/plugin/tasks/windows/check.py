import unittest

from windows import means, windows


class Check(unittest.TestCase):
    def test_windows(self):
        self.assertEqual(list(windows("abcd", 3)), [("a", "b", "c"), ("b", "c", "d")])
        self.assertEqual(list(windows(iter([1, 2]), 1)), [(1,), (2,)])
        self.assertEqual(list(windows("ab", 3)), [])
        self.assertEqual(list(windows("", 1)), [])

    def test_means(self):
        self.assertEqual(list(means([1, 2, 4], 2)), [1.5, 3.0])
        self.assertEqual(list(means([1], 2)), [])
