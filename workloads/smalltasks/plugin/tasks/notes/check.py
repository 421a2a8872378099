import unittest

from search import find
from store import Store


class Check(unittest.TestCase):
    def setUp(self):
        self.s = Store()
        self.s.add("Buy milk and bread", ["Home", "#shop"])
        self.s.add("Milk the cow", ["farm", "FARM", "#home"])
        self.s.add("milkshake!", [])

    def test_numbers(self):
        self.assertEqual(sorted(self.s.notes), [1, 2, 3])
        self.s.delete(2)
        self.assertEqual(self.s.add("new"), 4)
        self.s.delete(4)
        self.assertEqual(self.s.add("newer"), 5)

    def test_tags(self):
        self.assertEqual(sorted(self.s.notes[2][1]), ["farm", "home"])

    def test_words(self):
        for query, want in (("milk", [2, 1]), ("bread MILK", [1]), ("mil", []), ("milk,", [2, 1]), ("milkshake", [3]), ("", [3, 2, 1])):
            self.assertEqual(find(self.s, query), want, query)

    def test_tagged(self):
        for query, want in (("#home", [2, 1]), ("#HOME milk", [2, 1]), ("#home #shop", [1]), ("cow #shop", []), ("#none", [])):
            self.assertEqual(find(self.s, query), want, query)
