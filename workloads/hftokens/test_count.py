"""Tests of the component: the rule where the template fails or there is nothing to count, files and configuration."""

import json
import unittest

import plugin as hftokens
from test_golden import CHAR_CHAT, files

import paceline
from paceline import Answer, Channel, Chunk, Sample, testing

REFUSES_TOOLS = """
{%- for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}[{{ m.content }}]{% endfor %}"""
READS_ARGUMENTS = """
{%- for m in messages %}{% if m.tool_calls %}{{ m.tool_calls[0].function.arguments.items() }}{% endif %}
{{- m.content }}{% endfor %}"""


def opened(config=None, **inputs):
    given = {k: v for k, v in {**files(), **inputs}.items() if v is not None}
    return testing.open(hftokens.plugin, "count", config, inputs=given)


def sample(*messages, answer=None, params=None, tools=None, **more):
    history, appended = (json.dumps(part).encode() for part in (messages[:-1], messages[-1:]))
    told = {"outcome": "ok", "history": history, "appended": appended, **more}
    if answer is not None:
        told["answer"] = Answer(message=json.dumps({"role": "assistant", **answer}).encode())
    s = Sample(**told)
    s.params = json.dumps(params).encode() if params else b""
    s.tools = json.dumps(tools).encode() if tools else b""
    return s


USER = {"role": "user", "content": "hi"}


class Rule(unittest.TestCase):
    def one(self, s, config=None, **inputs):
        return opened(config, **inputs).count(s)[0]

    def test_plain_text(self):
        n = self.one(sample(USER, answer={"content": "Hello"}, chunks=[Chunk(channel=Channel.CONTENT, bytes=3)]))
        self.assertEqual((n.output, n.first_chunk, n.after_first_chunk, n.reason), (5, 3, 2, ""))
        n = self.one(sample(USER, answer={"content": "Hello"}))
        self.assertFalse(n.HasField("after_first_chunk"))

    def test_nothing_to_count(self):
        n = self.one(Sample(outcome="not_sent"))
        self.assertEqual((n.HasField("input"), n.HasField("output"), n.reason), (False, False, "not sent"))
        n = self.one(sample(USER, answer={"content": ""}))
        self.assertEqual((n.HasField("input"), n.HasField("output"), n.reason), (True, False, "no answer"))
        n = self.one(Sample(outcome="ok", history=b"", appended=b"[]"))
        self.assertEqual(n.reason, "no history; no answer")

    def test_template_that_raises(self):
        c = opened(template=REFUSES_TOOLS.encode())
        tool = {"role": "tool", "content": "é", "tool_call_id": "x"}
        counts = c.count(sample(USER, tool), sample(USER, tool, tools=[{"a": 1}]), sample(USER, answer={"content": "ok"}))
        self.assertEqual(counts[0].reason, "input counted as plain text: the template raised TemplateError; no answer")
        whole = '{"messages":[{"role":"user","content":"hi"},{"role":"tool","content":"é","tool_call_id":"x"}]}'
        self.assertEqual((counts[0].input, counts[1].input), (len(whole), len(whole) + len(',"tools":[{"a":1}]')))
        self.assertEqual((counts[2].input, counts[2].output), (4, 2))
        self.assertEqual(sum("raised" in text for _, text in c.logs), 1)

    def test_answer_that_the_template_refuses(self):
        calls = [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "no JSON"}}]
        n = self.one(sample(USER, answer={"content": "a", "tool_calls": calls}), template=READS_ARGUMENTS.encode())
        self.assertEqual(n.output, len('a\n[{"id":"x","type":"function","function":{"name":"f","arguments":"no JSON"}}]'))
        self.assertIn("output counted as plain text: the template raised UndefinedError", n.reason)

    def test_options_of_the_request(self):
        template = "{{ think }}|{{ tool_choice }}|{{ bos_token }}|{{ strftime_now('%d %b %Y') }}|{{ tools | tojson }}"
        params = {"chat_template_kwargs": {"think": "yes"}, "tool_choice": "auto"}
        n = self.one(sample(USER, params=params, tools=[{"a": "<é>"}]), {"date": "2026-08-31"}, template=template.encode())
        self.assertEqual(n.input, len("yes|auto|") + 1 + len('|31 Aug 2026|[{"a": "<é>"}]'))  # <s> is one token
        own = self.one(sample(USER, params={"chat_template": "own"}))
        self.assertEqual(own.input, 3)

    def test_hostile_documents(self):
        c = opened()
        deep = b"[" * 100_000
        for s in (
            Sample(outcome="ok", history=deep, appended=deep, params=deep, tools=deep, answer=Answer(message=deep)),
            sample({"role": "user"}, {"tool_calls": [7, {"function": 7}]}, params={"chat_template_kwargs": 7}),
            sample({"content": "\ud800"}, answer={"content": "\ud800", "tool_calls": [{"function": {"name": 7}}]}),
        ):
            self.assertEqual(len(c.count(s)), 1)


class Files(unittest.TestCase):
    def refused(self, code, config=None, **inputs):
        with self.assertRaises(paceline.Faults) as e:
            opened(config, **inputs)
        self.assertEqual([f.code for f in e.exception.faults], [code])
        return e.exception.faults[0]

    def test_faults_name_the_file(self):
        self.refused("missing-input", tokenizer=None)
        self.assertEqual(self.refused("bad-tokenizer", tokenizer=b"{}").input, "tokenizer")
        self.assertEqual(self.refused("bad-json", config=None, special=b"{").input, "special")
        fault = self.refused("bad-template", template=b"a\n{% if %}")
        self.assertEqual((fault.input, fault.line), ("template", 2))

    def test_configuration(self):
        self.refused("bad-date", {"date": "today"})
        self.refused("unknown-key", {"dates": 1})
        self.refused("bad-type", {"without_template": "yes"})
        fault = self.refused("other-version", {"versions": {"tokenizers": "0.0.1"}})
        self.assertEqual((fault.pointer, fault.expected), ("/versions/tokenizers", "tokenizers 0.0.1"))

    def test_without_template(self):
        config = json.loads((CHAR_CHAT / "tokenizer_config.json").read_text())
        del config["chat_template"]
        bare = json.dumps(config).encode()
        given = {"tokenizer": files()["tokenizer"], "config": bare}
        with self.assertRaises(paceline.Faults):
            testing.open(hftokens.plugin, "count", inputs=given)
        n = testing.open(hftokens.plugin, "count", {"without_template": True}, inputs=given).count(sample(USER))[0]
        self.assertIn("raised ValueError", n.reason)

    def test_named_templates(self):
        named = [{"name": "default", "template": "ab"}, {"name": "tool_use", "template": "abc{{ eos_token }}"}]
        config = json.dumps({"chat_template": named}).encode()
        special = b'{"eos_token": {"content": "</s>"}}'
        given = {"tokenizer": files()["tokenizer"], "config": config, "special": special}
        c = testing.open(hftokens.plugin, "count", inputs=given)
        self.assertEqual([n.input for n in c.count(sample(USER), sample(USER, tools=[{"a": 1}]))], [2, 4])


if __name__ == "__main__":
    unittest.main()
