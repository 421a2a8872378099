"""Tests of what is taken for an answer, and for its first chunk."""

import json
import unittest

import answers

from paceline import Channel, Chunk


def chunks(*pairs):
    return [Chunk(channel=channel, bytes=size) for channel, size in pairs]


def call(name, arguments, id=""):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Parse(unittest.TestCase):
    def test_texts(self):
        for message, want in (
            ({"content": "a"}, ("a", "", 0)),
            ({"content": None, "reasoning": "r"}, ("", "r", 0)),
            ({"content": [{"text": "a"}, {"text": "b"}, 7], "reasoning_content": "x", "reasoning": "y"}, ("ab", "x", 0)),
            ({"content": 7, "tool_calls": [call("f", "{}"), 7]}, ("", "", 1)),
            ({"tool_calls": {}}, ("", "", 0)),
        ):
            a = answers.parse(json.dumps(message).encode(), streamed=False)
            self.assertEqual((a.content, a.reasoning, len(a.calls)), want, message)
        for bad in (b"", b"[]", b"{", b"[" * 100_000):
            self.assertIsNone(answers.parse(bad, streamed=True))

    def test_calls_of_a_stream_are_in_the_order_of_the_reference(self):
        raw = json.dumps({"tool_calls": [call("f", "{}", "x")]}).encode()
        self.assertEqual(json.dumps(answers.parse(raw, streamed=False).calls[0]), json.dumps(call("f", "{}", "x")))
        whole = '{"type": "function", "function": {"arguments": "{}", "name": "f"}, "id": "x"}'
        self.assertEqual(json.dumps(answers.parse(raw, streamed=True).calls[0]), whole)


class Split(unittest.TestCase):
    def split(self, answer, *told):
        return answers.split(answer, chunks(*told))

    def test_text(self):
        told = (Channel.NONE, 9), (Channel.CONTENT, 3)
        self.assertEqual(self.split(answers.Answer("Hello"), *told), ("Hel", answers.Answer("lo")))
        self.assertEqual(self.split(answers.Answer("é!"), (Channel.CONTENT, 2)), ("é", answers.Answer("!")))
        self.assertEqual(self.split(answers.Answer("x"), (Channel.CONTENT, 1)), ("x", answers.Answer()))
        for told in ((), ((Channel.CONTENT, 9),), ((Channel.TOOL, 1),)):
            self.assertIsNone(self.split(answers.Answer("Hello"), *told))

    def test_reasoning_goes_first(self):
        whole = answers.Answer("A", "R1R2", [call("f", "{}")])
        first, rest = self.split(whole, (Channel.CONTENT, 1), (Channel.REASONING, 2))
        self.assertEqual((first, rest), ("R1", answers.Answer("A", "R2", whole.calls)))

    def test_calls(self):
        both = answers.Answer(calls=[call("ls", '{"a": 1}', "x"), call("cat", "{}", "y")])
        for size, want, left in (
            (2, "ls", [{"type": "function", "function": {"arguments": '{"a": 1}'}}, both.calls[1]]),
            (6, 'ls{"a"', [{"type": "function", "function": {"arguments": ": 1}"}}, both.calls[1]]),
            (10, 'ls{"a": 1}', both.calls[1:]),
            (15, 'ls{"a": 1}cat{}', []),
        ):
            self.assertEqual(self.split(both, (Channel.TOOL, size)), (want, answers.Answer(calls=left)), size)
        for size in (0, 1, 11, 16):  # a part of a name, and more than there is
            self.assertIsNone(self.split(both, (Channel.TOOL, size)), size)
        after_text = answers.Answer("x", "", both.calls)
        self.assertEqual(self.split(after_text, (Channel.TOOL, 2), (Channel.CONTENT, 1))[1].calls, both.calls)


if __name__ == "__main__":
    unittest.main()
