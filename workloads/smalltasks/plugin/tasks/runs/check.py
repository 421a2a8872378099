import unittest

from pack import pack
from unpack import unpack


class Check(unittest.TestCase):
    def test_format(self):
        self.assertEqual(pack("aaab"), "3:a1:b")
        self.assertEqual(pack("111"), "3:1")
        self.assertEqual(pack(""), "")

    def test_back(self):
        for text in ("", "a", "aaab", "111", "1:1", ":::", "a" * 1234 + "b", "3:a", "\n\n \n", "\u00e9\u00e9"):
            self.assertEqual(unpack(pack(text)), text)

    def test_bad(self):
        for packed in ("0:a", "03:a", "3:", "3", ":a", "a", "-1:a", "1:a1:a", "3:a2", "1:ab", "\u0663:a"):
            with self.assertRaises(ValueError, msg=packed):
                unpack(packed)
