"""An example of a counter: tokens of requests and answers by a tokenizer of its own.

A real one would load its model's tokenizer here, from an input of the run, so that the lock pins its digest.
"""

import json

from bpe import Encoder

import paceline
from paceline import Capability, Channel, Need, Unit

_FRAME = 4  # tokens of the chat template around each message
_START = 3  # and those with which the answer begins


class Count(paceline.Counter):
    name = "bpe"
    summary = "tokens by a small byte-level BPE"
    unit = Unit.TURN
    needs = (Need.ANSWER, Need.HISTORY, Need.APPENDED, Need.TOOLS, Need.CHUNKS)
    inputs = ("merges",)
    capabilities = (Capability.INPUTS,)

    def __init__(self, opening):
        opening.settings("merges")
        given = [i for i in opening.inputs if i.name == "merges"]
        self.encoder = Encoder(list(merges(given[0])) if given else None)

    def count(self, samples):
        return [self.sample(s) for s in samples]

    def sample(self, s):
        """The counts of one turn; of what did not arrive there is none, and the reason says so."""
        out, missing = paceline.TokenCount(), []
        asked = [parse(raw, list) for raw in (s.history, s.appended)]
        if None in asked:
            missing.append("no history")
        else:
            out.input = sum(self.message(m) for part in asked for m in part) + self.encoder.count(s.tools) + _START
        answer = parse(s.answer.message, dict) if s.HasField("answer") else None
        if answer is None:
            missing.append("no answer")
        else:
            out.output = sum(self.encoder.count(t) for t in texts(answer))
            self.first(s, answer, out)
        out.reason = ", ".join(missing)
        return out

    def first(self, s, answer, out):
        """Counts the text of the first chunk that has some, and the rest, where the answer has one text alone."""
        parts = list(texts(answer))
        chunk = next((c for c in s.chunks if c.bytes > 0 and c.channel in (Channel.CONTENT, Channel.REASONING)), None)
        if len(parts) == 1 and chunk is not None and chunk.bytes <= len(parts[0]):
            out.first_chunk = self.encoder.count(parts[0][: chunk.bytes])
            out.after_first_chunk = self.encoder.count(parts[0][chunk.bytes :])

    def message(self, m):
        if not isinstance(m, dict):
            return _FRAME
        return _FRAME + sum(self.encoder.count(t) for t in texts(m))


def merges(given):
    """Pairs of an input with one on each line, best first, as the models' own merges.txt have them."""
    for line in given.lines(limit=1000):
        pair = tuple(line.text.split(b" "))
        if line.text.startswith(b"#version"):
            continue
        if len(pair) != 2 or not all(pair):
            raise paceline.fault(
                "bad-merge",
                "not two parts",
                expected="two parts with a space between",
                input="merges",
                line=line.number,
                offset=line.offset,
            )
        yield pair


def texts(message):
    """The texts of a message in bytes: what it says, what it thinks, and its tool calls."""
    for key in ("reasoning_content", "reasoning", "content"):
        value = message.get(key)
        if isinstance(value, str) and value:
            yield paceline.clean(value).encode()
        elif isinstance(value, list):
            yield json.dumps(value).encode()
    if message.get("tool_calls"):
        yield json.dumps(message["tool_calls"]).encode()


def parse(raw, kind):
    """A JSON document of that kind; None where it is something else."""
    try:
        made = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return made if isinstance(made, kind) else None


plugin = paceline.Plugin(name="tokens", version="0.1.0", components=[Count])

if __name__ == "__main__":
    paceline.serve(plugin)
