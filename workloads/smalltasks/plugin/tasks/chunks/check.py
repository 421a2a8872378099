import unittest

from chunks import chunks


class Check(unittest.TestCase):
    def test_lists(self):
        self.assertEqual(list(chunks("abcde", 2)), [["a", "b"], ["c", "d"], ["e"]])
        self.assertEqual(list(chunks([1, 2], 2)), [[1, 2]])
        self.assertEqual(list(chunks([], 3)), [])
        self.assertEqual(list(chunks([1], 3)), [[1]])

    def test_at_once(self):
        for size in (0, -1):
            with self.assertRaises(ValueError):
                chunks([1], size)

    def test_lazy(self):
        source = iter(range(10))
        lists = chunks(source, 3)
        self.assertEqual(next(source), 0)
        self.assertEqual(next(lists), [1, 2, 3])
        self.assertEqual(next(source), 4)
