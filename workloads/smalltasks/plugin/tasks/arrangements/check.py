import unittest

from arrangements import arrangements


class Check(unittest.TestCase):
    def test_orders(self):
        self.assertEqual(arrangements([2, 1]), [(1, 2), (2, 1)])
        self.assertEqual(arrangements([1, 2, 1]), [(1, 1, 2), (1, 2, 1), (2, 1, 1)])
        self.assertEqual(arrangements([]), [()])
        self.assertEqual(len(arrangements(list("abcd"))), 24)

    def test_untouched(self):
        items = [3, 1, 2]
        arrangements(items)
        self.assertEqual(items, [3, 1, 2])

    def test_many_equal(self):
        self.assertEqual(len(arrangements(["x"] * 7)), 1)
        self.assertEqual(arrangements(["x"] * 15), [("x",) * 15])
        self.assertEqual(len(arrangements(["x"] * 14 + ["y"])), 15)
