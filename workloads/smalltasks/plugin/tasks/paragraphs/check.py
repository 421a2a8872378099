import unittest

from paragraphs import wrap


class Check(unittest.TestCase):
    def test_lines(self):
        for text, width, want in (
            ("one two three", 7, ["one two", "three"]),
            ("one two three", 100, ["one two three"]),
            ("a b c", 1, ["a", "b", "c"]),
            ("  one   two  ", 7, ["one two"]),
            ("one\ntwo", 7, ["one two"]),
            ("", 5, []),
            ("   ", 5, []),
        ):
            self.assertEqual(wrap(text, width), want, (text, width))

    def test_long_words(self):
        for text, width, want in (
            ("abcdefgh", 3, ["abc", "def", "gh"]),
            ("x abcdefgh y", 3, ["x", "abc", "def", "gh", "y"]),
            ("abcdefg y", 3, ["abc", "def", "g y"]),
            ("abcdef", 3, ["abc", "def"]),
        ):
            self.assertEqual(wrap(text, width), want, (text, width))

    def test_no_width(self):
        with self.assertRaises(ValueError):
            wrap("a", 0)
