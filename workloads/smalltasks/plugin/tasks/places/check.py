import unittest

from places import count, first


class Looks(list):
    """Counts how often an item is looked at."""

    looks = 0

    def __getitem__(self, at):
        self.looks += 1
        return super().__getitem__(at)

    def __iter__(self):
        raise AssertionError("it looks at all of them")

    def count(self, wanted):
        raise AssertionError("it looks at all of them")

    def index(self, *args):
        raise AssertionError("it looks at all of them")


class Check(unittest.TestCase):
    def test_first(self):
        items = [1, 3, 3, 3, 7]
        self.assertEqual([first(items, n) for n in (0, 1, 2, 3, 7, 8)], [-1, 0, -1, 1, 4, -1])
        self.assertEqual(first([], 1), -1)
        self.assertEqual(first([2] * 9, 2), 0)

    def test_count(self):
        items = [1, 3, 3, 3, 7]
        self.assertEqual([count(items, n) for n in (0, 1, 3, 5, 7, 9)], [0, 1, 3, 0, 1, 0])
        self.assertEqual(count([], 1), 0)

    def test_few_looks(self):
        items = Looks(range(1_000_000))
        self.assertEqual(first(items, 777_777), 777_777)
        self.assertLess(items.looks, 50)
        same = Looks([5] * 1_000_000)
        self.assertEqual(count(same, 5), 1_000_000)
        self.assertLess(same.looks, 50)
