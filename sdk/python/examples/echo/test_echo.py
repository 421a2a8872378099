"""Tests of the example, as its author would write them: python -m unittest discover -s sdk/python/examples/echo"""

import json
import unittest

import plugin as echo

import paceline
from paceline import Answer, Code, Sample, testing

TEXT = {"text": b'one\n\n"two"\r\n'}


def sample(turn, truth, content=None):
    answer = None if content is None else Answer(message=json.dumps({"content": content}).encode())
    return Sample(turn=turn, outcome="ok" if answer else "timeout", truth=truth.encode(), answer=answer)


class Echo(unittest.TestCase):
    def test_describe(self):
        d = testing.describe(echo.plugin)
        self.assertEqual([c.name for c in d.components], ["repeat", "answered", "exact"])

    def test_plan(self):
        c = testing.open(echo.plugin, "repeat", inputs=TEXT)
        self.assertEqual((c.answer.workload.trajectories, c.logs), (2, [("INFO", "2 lines")]))
        turn = c.plan(1).turns[0]
        self.assertEqual(turn.append[0].json, rb'{"role":"user","content":"Repeat exactly: \"two\""}')
        self.assertEqual((turn.truth, turn.final), (rb'"\"two\""', True))
        with self.assertRaises(paceline.Error) as e:
            c.plan(2)
        self.assertEqual(e.exception.code, Code.OUT_OF_RANGE)

    def test_quote(self):
        self.assertEqual(echo.quote(b"<\xff\xe2\x80\xa8&\x01\t"), rb'"\u003c\ufffd\u2028\u0026\u0001\t"')

    def test_open_faults(self):
        for inputs, code in (({}, "missing-input"), ({"text": b"\n"}, "empty")):
            with self.assertRaises(paceline.Faults) as e:
                testing.open(echo.plugin, "repeat", inputs=inputs)
            self.assertEqual(e.exception.faults[0].code, code)

    def test_check(self):
        c = testing.open(echo.plugin, "answered")
        r = c.check(sample(0, '"a"', "a"), sample(1, '"a"'))
        self.assertEqual([(f.turn, f.message) for f in r.findings], [(1, "timeout")])
        self.assertFalse(c.conclude_check(r.account).passed)
        self.assertTrue(c.conclude_check(c.check(sample(0, '"a"', "a")).account).passed)
        self.assertFalse(c.conclude_check().passed)

    def test_score(self):
        c = testing.open(echo.plugin, "exact")
        r = c.score(sample(0, '"one"', "one"), sample(1, '"two"', "2"), sample(2, '"three"'), sample(3, "7", "x"))
        self.assertEqual([i.reason for i in r.items], ["", "", "no answer", "no truth"])
        end = c.conclude_score(r.account, r.account)
        self.assertEqual((end.score.micro, end.scored, end.complete), (500_000, 4, True))
        self.assertFalse(c.conclude_score().complete)

    def test_hostile_accounts(self):
        c = testing.open(echo.plugin, "exact")
        for accounts in ((b"short",), (b"\0" * 8 + b"\xff" * 8,), (b"\xff" * 8 + b"\0" * 8,) * 2):
            with self.assertRaises(paceline.Error) as e:
                c.conclude_score(*accounts)
            self.assertEqual(e.exception.code, Code.INVALID_ARGUMENT)

    def test_hostile_answers(self):
        c = testing.open(echo.plugin, "exact")
        for message in (b"", b"\xff", b"[" * 100_000, b"7", b'{"content":7}', b'{"role":[],"content":"a"}'):
            (item,) = c.score(Sample(truth=b'"a"', answer=Answer(message=message))).items
            self.assertEqual(item.reason, "no answer", message[:20])


if __name__ == "__main__":
    unittest.main()
