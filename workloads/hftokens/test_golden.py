"""Every number that the reference counted in its recorded runs, counted again."""

import json
import unittest
from pathlib import Path

import plugin as hftokens

from paceline import Answer, Channel, Chunk, Sample, testing

GOLDEN = Path(__file__).parent / "tests" / "golden"
CHAR_CHAT = GOLDEN / "char_chat"


def files():
    named = {"tokenizer": "tokenizer.json", "config": "tokenizer_config.json"}
    return {name: (CHAR_CHAT / file).read_bytes() for name, file in named.items()}


def wire(message):
    """A message as it went over the wire, where there are no nulls."""
    return {k: v for k, v in message.items() if v is not None}


def pieces(output):
    """The answer that a journal has of what the reference stored, and its chunks."""
    content, reasoning, calls = (output + [None, None])[:3]
    message, chunks = {"role": "assistant"}, []
    for key, channel, texts in (("reasoning_content", Channel.REASONING, reasoning), ("content", Channel.CONTENT, content)):
        if texts:
            texts = [texts] if isinstance(texts, str) else texts
            message[key] = "".join(texts)
            chunks += [Chunk(channel=channel, bytes=len(t)) for t in texts]
    whole = {}
    for event in calls or []:
        size = 0
        for delta in event:
            name, arguments = delta["function"].get("name", ""), delta["function"].get("arguments", "")
            fresh = {"id": delta.get("id"), "type": "function", "function": {"name": "", "arguments": ""}}
            call = whole.setdefault(delta["index"], fresh)
            call["function"]["name"] += name
            call["function"]["arguments"] += arguments
            size += len(name) + len(arguments)
        chunks.append(Chunk(channel=Channel.TOOL, bytes=size))
    if whole:
        message["tool_calls"] = list(whole.values())
    return Answer(message=json.dumps(message).encode()), chunks


def samples(folder):
    """The turns of a recorded run by their ids, as a runner's journal would have them."""
    turns = {}
    for line in (folder / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        sample = turns.setdefault(event["sample_uuid"], Sample(outcome="ok"))
        if event["event_type"] == "sample.issued":
            _, _, _, messages, tools, options, _, _ = event["data"]
            sample.history = json.dumps([wire(m) for m in messages[:-1]]).encode()
            sample.appended = json.dumps([wire(m) for m in messages[-1:]]).encode()
            sample.tools = json.dumps(tools).encode() if tools else b""
            sample.params = json.dumps({"chat_template_kwargs": options}).encode()
        elif event["event_type"] == "sample.complete":
            answer, chunks = pieces(event["data"][1:])
            sample.answer.CopyFrom(answer)
            sample.chunks.extend(chunks)
    return turns


class Golden(unittest.TestCase):
    def test_every_number(self):
        for name in ("tool_call_only", "reasoning_then_content"):
            turns = samples(GOLDEN / name)
            wanted = json.loads((GOLDEN / name / "per_sample.json").read_text())["samples"]
            counter = testing.open(hftokens.plugin, "count", inputs=files())
            for key, count in zip(wanted, counter.count(*(turns[k] for k in wanted)), strict=True):
                want = wanted[key]
                got = (count.input, count.output, count.after_first_chunk, count.reason)
                self.assertEqual(got, (want["isl"], want["osl"], want["tokens_after_first_chunk"], ""), (name, key))
            self.assertGreater(len(wanted), 10)


if __name__ == "__main__":
    unittest.main()
