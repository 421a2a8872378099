import unittest

from orders import take
from shelf import Shelf


class Check(unittest.TestCase):
    def test_own_stock(self):
        one, two = Shelf(), Shelf()
        one.put("nut", 3)
        self.assertEqual(two.stock, {})
        given = {"nut": 1}
        Shelf(given).put("nut", 1)
        self.assertEqual(given, {"nut": 1})

    def test_remove(self):
        s = Shelf({"nut": 3})
        s.remove("nut", 3)
        self.assertEqual(s.stock, {})
        for name, count, error in (("nut", 1, KeyError), ("bolt", 1, KeyError), ("nut", 0, ValueError), ("nut", -1, ValueError)):
            with self.assertRaises(error):
                s.remove(name, count)
        with self.assertRaises(ValueError):
            s.put("nut", 0)
        self.assertEqual(s.stock, {})

    def test_whole(self):
        s = Shelf({"nut": 3, "bolt": 1})
        self.assertTrue(take(s, [("nut", 2), ("bolt", 1)]))
        self.assertEqual(s.stock, {"nut": 1})
        self.assertTrue(take(s, []))

    def test_not_at_all(self):
        s = Shelf({"nut": 3, "bolt": 1})
        for wanted in ([("nut", 1), ("bolt", 2)], [("nut", 2), ("nut", 2)], [("nut", 1), ("saw", 1)]):
            self.assertFalse(take(s, wanted))
            self.assertEqual(s.stock, {"nut": 3, "bolt": 1})
