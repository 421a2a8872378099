import unittest

from settings import read


class Check(unittest.TestCase):
    def test_sections(self):
        self.assertEqual(read("a = 1\n[x]\nb=2 = 3\n# no\n\n[y]\n"), {"": {"a": "1"}, "x": {"b": "2 = 3"}, "y": {}})
        self.assertEqual(read("[x]\na = 1"), {"x": {"a": "1"}})

    def test_goes_on(self):
        self.assertEqual(read("path = one\n   two\n\tthree\nb = 1"), {"": {"path": "one two three", "b": "1"}})
        self.assertEqual(read("[x]\na =\n  late"), {"x": {"a": "late"}})

    def test_goes_on_with_equals(self):
        self.assertEqual(read("a = x\n  y = z"), {"": {"a": "x y = z"}})

    def test_bad(self):
        for text, number in (("a = 1\nnonsense", "2"), ("  floating", "1"), ("[x]\n\n  floating", "3"), ("[open\n", "1")):
            with self.assertRaisesRegex(ValueError, number, msg=text):
                read(text)
