"""Tests of the example counter."""

import json
import random
import unittest

import plugin as tokens
from bpe import MERGES, Encoder

import paceline
from paceline import Answer, Channel, Chunk, Sample, testing


def count(*, history=b"[]", appended=b"[]", tools=b"", answer=None, chunks=(), inputs=None):
    message = None if answer is None else Answer(message=json.dumps(answer).encode())
    c = testing.open(tokens.plugin, "bpe", inputs=inputs)
    return c.count(Sample(history=history, appended=appended, tools=tools, answer=message, chunks=chunks))[0]


class Tokens(unittest.TestCase):
    def test_merges(self):
        for text, n in (
            (b"", 0),
            (b"the", 2),
            (b"the the", 3),
            (b" the the", 2),
            (b"\xff\xfe", 2),
            (b"x" * 1000, 1000),
            (b"in in", 2),
        ):
            self.assertEqual(Encoder().count(text), n, text[:10])
        self.assertEqual(len(set(MERGES)), len(MERGES))

    def test_no_text_is_lost(self):
        some = random.Random(7)
        for _ in range(200):
            text = some.randbytes(40) + b"the other one"
            parts = tokens.Encoder(MERGES)
            self.assertLessEqual(1, parts.count(text))
            self.assertEqual(Encoder([]).count(text), len(text))

    def test_request_and_answer(self):
        n = count(appended=b'[{"role":"user","content":"the the"}]', answer={"content": "in", "reasoning_content": "the"})
        self.assertEqual((n.input, n.output, n.reason), (3 + 4 + 3, 1 + 2, ""))
        self.assertFalse(n.HasField("first_chunk"))

    def test_first_chunk(self):
        chunks = [Chunk(channel=Channel.NONE), Chunk(channel=Channel.CONTENT, bytes=3), Chunk(channel=Channel.CONTENT, bytes=4)]
        n = count(answer={"content": "the the"}, chunks=chunks)
        self.assertEqual((n.output, n.first_chunk, n.after_first_chunk), (3, 2, 1))
        chunks[1].bytes = 99  # a lie
        self.assertFalse(count(answer={"content": "the the"}, chunks=chunks).HasField("first_chunk"))

    def test_what_is_missing_says_so(self):
        self.assertEqual(count(history=b"").reason, "no history, no answer")
        n = count(appended=b"[7, {}]")
        self.assertEqual((n.input, n.reason), (4 + 4 + 3, "no answer"))
        for bad in (b"{", b"[" * 100_000, b"7", b"\xff"):
            self.assertFalse(count(history=bad).HasField("input"))

    def test_merges_of_an_input(self):
        n = count(answer={"content": "xxxx"}, inputs={"merges": b"#version: 1\nx x\nxx xx\n"})
        self.assertEqual(n.output, 1)
        with self.assertRaises(paceline.Faults) as e:
            count(inputs={"merges": b"x x\n\nxyz\n"})
        self.assertEqual((e.exception.faults[0].line, e.exception.faults[0].offset), (3, 5))


if __name__ == "__main__":
    unittest.main()
