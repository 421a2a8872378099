import unittest

from money import Money


class Check(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(Money(5), Money(5))
        self.assertNotEqual(Money(5), Money(6))
        self.assertNotEqual(Money(5), 5)
        self.assertEqual(len({Money(5), Money(5), Money(6)}), 2)

    def test_order(self):
        self.assertEqual([m.cents for m in sorted([Money(3), Money(-1), Money(2)])], [-1, 2, 3])
        self.assertTrue(Money(1) <= Money(1))
        self.assertTrue(Money(2) > Money(1))

    def test_sum(self):
        self.assertEqual(sum([Money(1), Money(2)]), Money(3))
        for other in (1, "1", None):
            with self.assertRaises(TypeError):
                Money(1) + other

    def test_text(self):
        for cents, text in ((1205, "12.05"), (-50, "-0.50"), (0, "0.00"), (10**17 + 1, "1000000000000000.01"), (-1234, "-12.34")):
            self.assertEqual(str(Money(cents)), text)

    def test_split(self):
        for cents, parts, want in ((100, 3, [34, 33, 33]), (2, 3, [1, 1, 0]), (-100, 3, [-33, -33, -34]), (9, 1, [9])):
            self.assertEqual([m.cents for m in Money(cents).split(parts)], want)
