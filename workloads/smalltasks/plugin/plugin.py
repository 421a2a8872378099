"""A scorer that lets the target mend small Python modules and runs hidden tests over what it wrote, without containers."""

import json
from concurrent.futures import ThreadPoolExecutor

import agent
import grade
import paceline
import taskset
from paceline import Capability, Code, Unit

_FAILURES = 3
"""How often in a row the target may give no answer before a task counts as missing."""

_ROOM = 128 << 10
"""The bytes of a state that answers may take, all together."""

_NUMBERS = {
    # name: default, least, most, what it means
    "tasks": (len(taskset.load()), 1, len(taskset.load()), "How many tasks, from the first on."),
    "at_once": (4, 1, 8, "How many tasks are asked at the same time."),
    "turns": (3, 1, 5, "How often a model may answer until its edits can be made."),
    "max_tokens": (2048, 16, 65536, "The most tokens of one answer."),
    "request_s": (30, 1, 500, "How long one answer may take; a step takes up to 20 s more, and limits.open bounds it."),
    "min_percent": (0, 0, 100, "The least score; below it the scorer does not pass."),
}


def settings(opening):
    """The configuration, with its defaults."""
    given, found = opening.settings(*_NUMBERS), {}
    for key, (default, least, most, _) in _NUMBERS.items():
        found[key] = given.get(key, default)
        if type(found[key]) is not int or not least <= found[key] <= most:
            raise paceline.fault(
                "bad-number", f"{found[key]!r}", expected=f"a whole number from {least} to {most}", pointer="/" + key
            )
    return found


def content(completion):
    """The text of a completion, bound in length; empty where it has none."""
    try:
        text = completion["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise paceline.Error(Code.UNAVAILABLE, "the target's answer is no chat completion") from None
    return paceline.clean(text) if isinstance(text, str) else ""


def cut(text, room):
    """The beginning of a text that takes so many bytes of a state."""
    while len(json.dumps(text)) > room:
        text = text[: len(text) * 3 // 4]
    return text


class Solve(paceline.Evaluator):
    """In each step the next tasks are asked one turn each; the state holds the answers that could not be used."""

    name = "solve"
    summary = "share of small Python tasks that the target solves, by hidden tests"
    unit = Unit.CONVERSATION
    capabilities = (Capability.TARGET, Capability.WORKDIR)
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key: {"type": "integer", "default": default, "minimum": least, "maximum": most, "description": text}
            for key, (default, least, most, text) in _NUMBERS.items()
        },
    }

    def __init__(self, opening):
        self.log = opening.log
        self.set = settings(opening)
        self.tasks = taskset.load()[: self.set["tasks"]]

    def evaluate(self, request):
        now = self.load(request.state)
        if request.cancel:
            return self.result(now, [])
        relay = paceline.Relay(request.target, timeout=self.set["request_s"])
        batch = [t for t in self.tasks if t.id not in now["done"]][: self.set["at_once"]]
        with ThreadPoolExecutor(self.set["at_once"]) as pool:
            turns = list(pool.map(lambda t: self.turn(relay, t, now["said"].get(t.id, [])), batch))
        items = [i for t, turn in zip(batch, turns) for i in self.take(now, t, *turn)]
        if len(now["done"]) == len(self.tasks):
            return self.result(now, items)
        return self.reply(now, items)

    def load(self, state):
        try:
            return json.loads(state) if state else {"done": {}, "said": {}, "failed": {}}
        except ValueError:
            raise paceline.Error(Code.INVALID_ARGUMENT, "this is no state of this plugin") from None

    def turn(self, relay, task, earlier):
        """One answer and what it comes to; or the error that took its place."""
        try:
            answer = content(relay.chat(agent.messages(task, earlier), max_tokens=self.set["max_tokens"]))
        except paceline.Error as e:
            return None, e.text
        return answer, agent.judge(task, answer)

    def take(self, now, task, answer, verdict):
        """Puts one turn into the state; gives the item of a task that is done with it."""
        said = now["said"].get(task.id, [])
        if answer is None:
            now["failed"][task.id] = now["failed"].get(task.id, 0) + 1
            if now["failed"][task.id] < _FAILURES:
                return []
            return [self.item(now, task, None, f"the target gave no answer: {verdict}")]
        now["failed"].pop(task.id, None)
        turns = len(said) + 1
        if not verdict.done and turns < self.set["turns"]:
            room = _ROOM // (self.set["at_once"] * self.set["turns"])
            now["said"][task.id] = [*said, (cut(answer, room), verdict.reason)]
            return []
        return [self.item(now, task, verdict.micro, verdict.reason, {"ran": verdict.ran, "turns": turns})]

    def item(self, now, task, micro, reason, detail=None):
        """The item of a task; micro is None where it could not be scored."""
        now["done"][task.id] = micro
        now["said"].pop(task.id, None)
        now["failed"].pop(task.id, None)
        return paceline.ItemScore(
            trajectory=task.id,
            group=task.kind,
            scored=micro is not None,
            micro=micro or 0,
            reason=paceline.clean(reason),
            detail=json.dumps(detail, sort_keys=True).encode() if detail else b"",
        )

    def reply(self, now, items):
        right = sum(micro == 1_000_000 for micro in now["done"].values())
        return paceline.EvaluateResponse(
            state=json.dumps(now).encode(),
            items=items,
            items_done=len(now["done"]),
            items_total=len(self.tasks),
            status=f"{right} solved",
        )

    def result(self, now, items):
        """The score. It is incomplete where a task was not scored."""
        scored = [micro for micro in now["done"].values() if micro is not None]
        total, right = len(self.tasks), sum(micro == 1_000_000 for micro in scored)
        share = right * 1_000_000 // total
        complete = len(scored) == total
        reply = self.reply(now, items)
        reply.done = True
        reply.score.CopyFrom(
            paceline.ConcludeScoreResponse(
                higher_is_better=True,
                threshold_micro=self.set["min_percent"] * 10_000 or None,
                complete=complete,
                passed=complete and share >= self.set["min_percent"] * 10_000,
                scored=len(scored),
                missing=total - len(scored),
                parts=[
                    paceline.Value(name="tasks", micro=total * 1_000_000, unit="sha256:" + taskset.digest(self.tasks)),
                    paceline.Value(name="solved", micro=right * 1_000_000, unit="count"),
                    paceline.Value(name="network_fenced", micro=1_000_000 * bool(grade.fence()), unit="bool"),
                ],
            )
        )
        if scored:
            reply.score.score.CopyFrom(paceline.Value(name="solved", unit="share", micro=share))
        return reply


plugin = paceline.Plugin(name="smalltasks", version="0.1.0", components=[Solve])

if __name__ == "__main__":
    paceline.serve(plugin)
