import itertools
import unittest

from merged import merged


class Plain:
    """Has no order."""

    def __init__(self, n, name):
        self.n, self.name = n, name


class Check(unittest.TestCase):
    def test_sorted(self):
        self.assertEqual(list(merged([1, 4], [], [2, 3, 9], (0,))), [0, 1, 2, 3, 4, 9])
        self.assertEqual(list(merged()), [])
        self.assertEqual(list(merged([3, 1], key=lambda n: -n)), [3, 1])

    def test_endless(self):
        both = merged(itertools.count(0, 2), itertools.count(1, 2))
        self.assertEqual(list(itertools.islice(both, 5)), [0, 1, 2, 3, 4])

    def test_equal(self):
        a, b = [Plain(1, "a"), Plain(2, "b")], [Plain(1, "c"), Plain(2, "d")]
        self.assertEqual("".join(p.name for p in merged(a, b, key=lambda p: p.n)), "acbd")

    def test_not_ahead(self):
        first, second = iter([1, 5, 6]), iter([2, 7])
        both = merged(first, second)
        self.assertEqual(next(both), 1)
        self.assertIn(next(first, None), (5, 6))
