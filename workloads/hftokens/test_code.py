"""Tests of the component for models that bring code of their own. They need transformers."""

import importlib.util
import io
import json
import unittest
import zipfile

import plugin as hftokens
from test_count import USER, sample
from test_golden import CHAR_CHAT, files

import paceline
from paceline import Channel, Chunk, testing

OWN = """
from transformers import PreTrainedTokenizerFast

class Own(PreTrainedTokenizerFast):
    def apply_chat_template(self, conversation, tools=None, add_generation_prompt=True, **more):
        return [0] * (100 * len(conversation) + len(tools or []) + add_generation_prompt)
"""


TOOL = {"role": "tool", "content": "1"}


def archive(**more):
    given = {"tokenizer.json": files()["tokenizer"], "tokenizer_config.json": files()["config"], **more}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in given.items():
            z.writestr(name, data)
    return out.getvalue()


def opened(raw, **config):
    return testing.open(hftokens.plugin, "count-code", config, inputs={"model": raw})


def own():
    config = json.loads((CHAR_CHAT / "tokenizer_config.json").read_text())
    config |= {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": [None, "own.Own"]}}
    return archive(**{"tokenizer_config.json": json.dumps(config).encode(), "own.py": OWN})


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is missing; .ci/counter has it")
class Code(unittest.TestCase):
    def test_as_count_does(self):
        calls = [{"id": "x", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
        tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
        asked = [
            sample(USER, answer={"content": "Hello"}, chunks=[Chunk(channel=Channel.CONTENT, bytes=3)]),
            sample(USER, {"role": "assistant", "content": "", "tool_calls": calls}, TOOL, tools=tools),
            sample(USER, answer={"content": "a", "reasoning_content": "bc", "tool_calls": calls}),
        ]
        plain = testing.open(hftokens.plugin, "count", inputs=files()).count(*asked)
        self.assertEqual(opened(archive()).count(*asked), plain)

    def test_code_of_the_model_runs_where_it_is_trusted(self):
        n = opened(own(), trust_code=True).count(sample(USER, tools=[{"a": 1}], answer={"content": "abc"}))[0]
        self.assertEqual((n.input, n.output), (102, 3))
        with self.assertRaises(paceline.Faults) as e:
            opened(own())
        self.assertIn("trust_code: true", e.exception.faults[0].message)

    def test_bad_archives(self):
        for raw in (b"no zip", archive(**{"a/x": b"1", "b/x": b"2"})):
            with self.assertRaises(paceline.Faults) as e:
                opened(raw)
            self.assertEqual(e.exception.faults[0].code, "bad-archive")


if __name__ == "__main__":
    unittest.main()
