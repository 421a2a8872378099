import unittest

from recent import Recent


class Check(unittest.TestCase):
    def test_drops(self):
        r = Recent(2)
        r.put("a", 1)
        r.put("b", 2)
        self.assertEqual(r.get("a"), 1)
        r.put("c", 3)
        self.assertEqual(("a" in r, "b" in r, "c" in r), (True, False, True))
        self.assertIsNone(r.get("b"))

    def test_replacing(self):
        r = Recent(2)
        for name, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
            r.put(name, value)
        self.assertEqual((r.get("a"), r.names()), (3, ["a", "c"]))

    def test_asking_is_no_use(self):
        r = Recent(2)
        r.put("a", None)
        r.put("b", 2)
        self.assertIn("a", r)
        r.put("c", 3)
        self.assertEqual(r.names(), ["c", "b"])

    def test_none_is_a_value(self):
        r = Recent(2)
        r.put("a", None)
        r.put("b", 1)
        r.get("a")
        self.assertEqual(r.names(), ["a", "b"])
