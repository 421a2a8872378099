import unittest

from spans import Spans


def of(*parts):
    s = Spans()
    for start, end in parts:
        s.add(start, end)
    return s


class Check(unittest.TestCase):
    def test_joined(self):
        self.assertEqual(of((5, 7), (1, 3), (2, 4)).spans(), [(1, 4), (5, 7)])
        self.assertEqual(of((1, 3), (3, 5)).spans(), [(1, 5)])
        self.assertEqual(of((1, 9), (2, 3)).spans(), [(1, 9)])
        self.assertEqual(of((4, 4), (5, 2)).spans(), [])

    def test_covers(self):
        s = of((1, 3), (6, 8))
        self.assertEqual([n for n in range(10) if s.covers(n)], [1, 2, 6, 7])

    def test_removed(self):
        s = of((0, 10), (20, 30))
        s.remove(3, 5)
        self.assertEqual(s.spans(), [(0, 3), (5, 10), (20, 30)])
        s.remove(8, 25)
        self.assertEqual(s.spans(), [(0, 3), (5, 8), (25, 30)])
        s.remove(9, 9)
        s.remove(100, 200)
        s.remove(7, 6)
        self.assertEqual(s.spans(), [(0, 3), (5, 8), (25, 30)])
        s.remove(-1, 99)
        self.assertEqual(s.spans(), [])
