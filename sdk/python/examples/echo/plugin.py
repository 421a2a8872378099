"""An example of a plugin with a component of three kinds.

Its workload asks the model to repeat each line of a text, its validator wants an answer to every turn, its scorer counts
the exact repetitions. The Go plugin of the same name gives the same trajectories, findings and scores, byte for byte.
"""

import json
import re
import struct

import paceline
from paceline import Capability, Code, Need, Severity, Unit


class Repeat(paceline.Workload):
    """Holds where each line is; lines are read when they are planned."""

    name = "repeat"
    summary = "asks for each line of a text"
    inputs = ("text",)
    capabilities = (Capability.INPUTS,)

    def __init__(self, opening):
        self.text = opening.input("text")
        self.lines = [(line.offset, len(line.text)) for line in self.text.lines()]
        if not self.lines:
            raise paceline.fault("empty", "no line in it", expected="at least one line", input="text")
        opening.log.info("%d lines", len(self.lines))

    def info(self):
        return paceline.WorkloadInfo(trajectories=len(self.lines), fixed=True, provenance="recorded")

    def plan(self, index, repeat, seed):
        if index >= len(self.lines):
            raise paceline.Error(Code.OUT_OF_RANGE, f"no line {index}: there are {len(self.lines)}")
        line = self.text.read_at(*self.lines[index])
        ask = paceline.Message(json=b'{"role":"user","content":' + quote(b"Repeat exactly: " + line) + b"}")
        turn = paceline.Turn(append=[ask], final=True, max_tokens=256, truth=quote(line))
        return paceline.Trajectory(id=f"line-{index & 0xFFFFFFFF:08x}", turns=[turn])


def quote(text):
    """A JSON string as Go writes it, so that both plugins plan equal bytes; a byte that is no UTF-8 becomes U+FFFD."""
    quoted = json.dumps(text.decode("utf-8", "surrogateescape"), ensure_ascii=False)
    for c in "<>&\u2028\u2029":
        quoted = quoted.replace(c, f"\\u{ord(c):04x}")
    return re.sub("[\ud800-\udfff]", r"\\ufffd", quoted).encode()


def whole(text):
    """Text with U+FFFD for each byte that is no UTF-8, and for halves of surrogate pairs."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


class Tally(paceline.Component):
    """The account of both judges: two counters of 8 bytes."""

    def fold(self, account, batch):
        (all1, good1), (all2, good2) = parse(account), parse(batch)
        return tally(all1 + all2, good1 + good2)


def tally(all, good):
    if all >= 1 << 64:
        raise paceline.Error(Code.INVALID_ARGUMENT, "an account counts more than 64 bits hold")
    return struct.pack(">QQ", all, good)


def parse(account):
    if not account:
        return 0, 0
    if len(account) != 16:
        raise paceline.Error(Code.INVALID_ARGUMENT, f"an account has 16 bytes, not {len(account)}")
    all, good = struct.unpack(">QQ", account)
    if good > all:
        raise paceline.Error(Code.INVALID_ARGUMENT, f"an account counts {good} of {all}")
    return all, good


class Answered(Tally, paceline.Validator):
    name = "answered"
    summary = "wants an answer to every turn"
    unit = Unit.TURN

    def check(self, samples):
        findings = [
            paceline.Finding(
                severity=Severity.ERROR,
                code="no-answer",
                message=s.outcome,
                trajectory=s.trajectory,
                repeat=s.repeat,
                turn=s.turn,
            )
            for s in samples
            if s.outcome != "ok"
        ]
        return paceline.CheckResponse(findings=findings, account=tally(len(samples), len(samples) - len(findings)))

    def conclude(self, run):
        all, good = parse(run.account)
        passed = 0 < all == good
        return paceline.ConcludeCheckResponse(passed=passed, reason="" if passed else "turns without an answer")


class Exact(Tally, paceline.Scorer):
    name = "exact"
    summary = "share of lines that came back unchanged"
    unit = Unit.TURN
    needs = (Need.ANSWER, Need.TRUTH)

    def score(self, samples):
        items = []
        for s in samples:
            item = paceline.ItemScore(trajectory=s.trajectory, repeat=s.repeat, turn=s.turn)
            got, want = content(s), text(s.truth)
            if got is None:
                item.reason = "no answer"
            elif want is None:
                item.reason = "no truth"
            else:
                item.scored = True
                item.micro = 1_000_000 if got == want else 0
            items.append(item)
        scored = [i for i in items if i.scored]
        return paceline.ScoreResponse(items=items, account=tally(len(scored), sum(i.micro > 0 for i in scored)))

    def conclude(self, run):
        all, good = parse(run.account)
        return paceline.ConcludeScoreResponse(
            score=paceline.Value(name="exact", unit="share", micro=good * 1_000_000 // all if all else 0),
            higher_is_better=True,
            passed=all > 0,
            complete=all > 0,
            scored=all,
        )


def content(sample):
    """The text of an answer; None where there is none."""
    if not sample.HasField("answer"):
        return None
    message = document(sample.answer.message)
    if message is None:
        return ""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str | None):
        return None
    got = message.get("content")
    return "" if got is None else whole(got) if isinstance(got, str) else None


def text(raw):
    """The string of a JSON document, where null is an empty one; None where it is something else."""
    made = document(raw)
    return "" if made is None else whole(made) if isinstance(made, str) else None


def document(raw):
    """A JSON document; a number, which is nothing that is looked for, where it is none."""
    try:
        return json.loads(raw.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return 0


plugin = paceline.Plugin(name="echo", version="0.1.0", components=[Repeat, Answered, Exact])

if __name__ == "__main__":
    paceline.serve(plugin)
