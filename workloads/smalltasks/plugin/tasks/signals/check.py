import unittest

from signals import Signal


class Check(unittest.TestCase):
    def test_sends(self):
        s = Signal()
        s.connect(lambda n: n + 1)
        undo = s.connect(lambda n: n * 2)
        self.assertEqual(s.send(5), [6, 10])
        undo()
        undo()
        self.assertEqual(s.send(5), [6])
        self.assertEqual(Signal().send(), [])

    def test_twice(self):
        s, heard = Signal(), []
        first = s.connect(heard.append)
        s.connect(heard.append)
        first()
        first()
        s.send(1)
        self.assertEqual(heard, [1])

    def test_disconnects_itself(self):
        s, heard = Signal(), []
        undo = s.connect(lambda: (heard.append("once"), undo()))
        s.connect(lambda: heard.append("always"))
        s.send()
        s.send()
        self.assertEqual(heard, ["once", "always", "always"])

    def test_disconnects_a_later_one(self):
        s, heard, undo = Signal(), [], []
        s.connect(lambda: undo[0]())
        undo.append(s.connect(lambda: heard.append("gone")))
        s.connect(lambda: heard.append("stays"))
        s.send()
        self.assertEqual(heard, ["stays"])

    def test_connects(self):
        s, heard = Signal(), []
        s.connect(lambda: s.connect(lambda: heard.append("new")))
        s.send()
        self.assertEqual(heard, [])
        s.send()
        self.assertEqual(heard, ["new"])
