import unittest

from middles import median, modes


class Check(unittest.TestCase):
    def test_median(self):
        for numbers, want in (([3, 1, 2], 2), ([4, 1, 2, 3], 2.5), ([7], 7), ([1, 2], 1.5), ((5, 1, 9), 5)):
            self.assertEqual(median(numbers), want)
        with self.assertRaises(ValueError):
            median([])

    def test_untouched(self):
        numbers = [3, 1, 2]
        median(numbers)
        self.assertEqual(numbers, [3, 1, 2])

    def test_modes(self):
        for numbers, want in (([1, 2, 2, 1, 3], [1, 2]), ([3, 1, 2], [3, 1, 2]), ([], []), ([5, 5, 1], [5]), ([2, 1, 1, 2], [2, 1])):
            self.assertEqual(modes(numbers), want)
