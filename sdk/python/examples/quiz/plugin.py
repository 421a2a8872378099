"""An example of a live workload, whose turns depend on the answers, and of a scorer that asks the target itself."""

import json
import re

import paceline
from paceline import Code, Need, Unit

_TRIES = 3
_NUMBER = re.compile(r"-?\d{1,12}")


def sum_of(index):
    """The two numbers of question index, from 0."""
    return 3 + 7 * index % 90, 2 + 11 * index % 80


def ask(index):
    a, b = sum_of(index)
    return {"role": "user", "content": f"What is {a} + {b}? Answer with the number alone."}


def is_right(index, answer):
    """Whether the last number in an answer is the sum."""
    found = _NUMBER.findall(answer)
    return bool(found) and int(found[-1]) == sum(sum_of(index))


def number(settings, key, default, most):
    """A setting that is a whole number from 1 to most."""
    value = settings.get(key, default)
    if type(value) is not int or not 1 <= value <= most:
        raise paceline.fault("bad-number", f"{value!r}", expected=f"a whole number from 1 to {most}", pointer="/" + key)
    return value


def load(state):
    """A state that this plugin gave."""
    try:
        return json.loads(state)
    except ValueError:
        raise paceline.Error(Code.INVALID_ARGUMENT, "this is no state of this plugin") from None


class Sums(paceline.Workload):
    """Asks for a sum, and again where the answer is wrong, three times at most. Every step is in the state."""

    name = "sums"
    summary = "asks for a sum until the answer is right, three times at most"
    config_schema = {"type": "object", "properties": {"questions": {"type": "integer", "minimum": 1, "maximum": 1000}}}

    def __init__(self, opening):
        self.questions = number(opening.settings("questions"), "questions", 20, 1000)

    def info(self):
        return paceline.WorkloadInfo(trajectories=self.questions, live=True, fixed=True, provenance="exact")

    def plan(self, index, repeat, seed):
        if index >= self.questions:
            raise paceline.Error(Code.OUT_OF_RANGE, f"no question {index}: there are {self.questions}")
        return paceline.Trajectory(
            id=f"sum-{index}",
            turns=[turn(0, ask(index))],
            state=json.dumps({"question": index, "tries": 1}).encode(),
            truth=json.dumps(sum(sum_of(index))).encode(),
        )

    def next(self, state, turn_index, answer):
        now = load(state)
        if is_right(now["question"], content(answer.message)):
            return end("solved", now)
        if now["tries"] >= _TRIES:
            return end("gave-up", now)
        now["tries"] += 1
        again = turn(turn_index + 1, {"role": "user", "content": "That is not right. Try again."})
        return paceline.NextResponse(state=json.dumps(now).encode(), turns=[again])


def turn(index, message):
    return paceline.Turn(index=index, append=[paceline.Message(json=json.dumps(message).encode())], max_tokens=64)


def end(outcome, now):
    return paceline.NextResponse(end=paceline.End(outcome=outcome, result=json.dumps({"tries": now["tries"]}).encode()))


def content(message):
    """The text of an answer, empty where it has none."""
    try:
        text = json.loads(message)["content"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return text if isinstance(text, str) else ""


class Exam(paceline.Evaluator):
    """Asks the target some sums through the host's relay, a few in each step, and scores the share of right answers."""

    name = "exam"
    summary = "share of sums that the target gets right when it is asked in an evaluation of its own"
    unit = Unit.CONVERSATION
    needs = (Need.ANSWER,)

    def __init__(self, opening):
        settings = opening.settings("questions", "step")
        self.questions = number(settings, "questions", 8, 1000)
        self.step = number(settings, "step", 4, 100)

    def evaluate(self, request):
        now = load(request.state) if request.state else {"asked": 0, "right": 0}
        if request.cancel:
            return self.result(now, [], complete=False)
        relay, items = paceline.Relay(request.target), []
        for index in range(now["asked"], min(now["asked"] + self.step, self.questions)):
            right = is_right(index, relay.text([ask(index)], max_tokens=64))
            items.append(paceline.ItemScore(trajectory=f"exam-{index}", scored=True, micro=1_000_000 * right))
            now = {"asked": index + 1, "right": now["right"] + right}
        if now["asked"] == self.questions:
            return self.result(now, items, complete=True)
        return self.reply(now, items)

    def reply(self, now, items):
        return paceline.EvaluateResponse(
            state=json.dumps(now).encode(),
            items=items,
            items_done=now["asked"],
            items_total=self.questions,
            status=f"{now['asked']} of {self.questions} asked",
        )

    def result(self, now, items, *, complete):
        reply = self.reply(now, items)
        reply.done = True
        micro = now["right"] * 1_000_000 // now["asked"] if now["asked"] else 0
        reply.score.CopyFrom(
            paceline.ConcludeScoreResponse(
                score=paceline.Value(name="right", unit="share", micro=micro),
                higher_is_better=True,
                passed=complete,
                complete=complete,
                scored=now["asked"],
                missing=self.questions - now["asked"],
            )
        )
        return reply


plugin = paceline.Plugin(name="quiz", version="0.1.0", components=[Sums, Exam])

if __name__ == "__main__":
    paceline.serve(plugin)
