import unittest

import prices
from cart import Cart


class Check(unittest.TestCase):
    def test_prices(self):
        for text, cents in (("12.5", 1250), ("0.10", 10), ("7", 700), ("0", 0), ("19.99", 1999), ("1234567890123.45", 123456789012345)):
            self.assertEqual(prices.read(text), cents)
        for text in ("", "-1", "+1", "1.234", "abc", "1,50", "nan", ".", "1.", "1e3", ".5"):
            with self.assertRaises(ValueError, msg=text):
                prices.read(text)

    def test_total(self):
        c = Cart()
        c.add("sweet", "0.10", 3)
        self.assertEqual(c.total(), 30)
        self.assertEqual(Cart(10).total(), 0)

    def test_discount(self):
        c = Cart(10)
        c.add("tea", "2.50", 2)
        self.assertEqual(c.receipt(), ["2 x tea = 5.00", "total = 4.50"])
        for percent, cents, want in ((50, "0.01", 1), (50, "0.03", 2), (33, "1.00", 67), (100, "5", 0)):
            c = Cart(percent)
            c.add("x", cents)
            self.assertEqual(c.total(), want, (percent, cents))
