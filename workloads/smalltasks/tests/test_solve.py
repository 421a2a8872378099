"""Tests of the evaluator against a relay whose answers are written down beforehand."""

import http.server
import json
import re
import threading
import unittest

import paceline
import plugin as smalltasks
from paceline import EvaluateRequest, Target, testing
from test_grade import block, solution, taskset


class Relay(http.server.BaseHTTPRequestHandler):
    """The host's relay: the test's function answers, with the messages; a number is a status."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = re.search(r"Task: ([a-z]+)", asked["messages"][1]["content"])[1]
        with self.server.lock:
            self.server.seen.append((name, asked))
        said = self.server.answer(name, asked["messages"])
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]}).encode()
        self.send_response(said if isinstance(said, int) else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


SOLUTIONS = {t.id: solution(t) for t in taskset.load()}
PLACE = {t.id: i for i, t in enumerate(taskset.load())}


class Solves(unittest.TestCase):
    def setUp(self):
        self.relay = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
        self.relay.seen, self.relay.lock = [], threading.Lock()
        thread = threading.Thread(target=self.relay.serve_forever)
        thread.start()
        self.addCleanup(self.relay.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.relay.shutdown)
        url = f"http://127.0.0.1:{self.relay.server_address[1]}/v1"
        self.target = Target(url=url, token="for-this-evaluation", model="m", params=b'{"temperature":0}')

    def open(self, **config):
        return testing.open(smalltasks.plugin, "solve", config, granted=[paceline.Capability.TARGET])

    def run_all(self, c, state=b""):
        items = []
        for _ in range(200):
            step = c.evaluate(EvaluateRequest(state=state, target=self.target))
            items += step.items
            if step.done:
                return step, items
            state = step.state
        self.fail("it does not end")

    def test_half(self):
        """Every other task is solved; the others go wrong in four ways."""

        def answer(name, messages):
            if PLACE[name] % 2 == 0:
                return SOLUTIONS[name]
            return ("I cannot tell.", block("check.py", "x\n", ""), SOLUTIONS[name][:-9], "")[PLACE[name] // 2 % 4]

        self.relay.answer = answer
        step, items = self.run_all(self.open())
        score = step.score
        self.assertEqual((score.score.name, score.score.micro), ("solved", 500_000))
        self.assertEqual((score.complete, score.passed, score.scored, score.missing), (True, True, 28, 0))
        self.assertEqual({i.trajectory: i.micro for i in items}, {t: 1_000_000 * (n % 2 == 0) for t, n in PLACE.items()})
        self.assertEqual([(p.name, p.micro // 1_000_000) for p in score.parts][:2], [("tasks", 28), ("solved", 14)])
        self.assertEqual(score.parts[0].unit, "sha256:" + taskset.digest(taskset.load()))
        name, asked = self.relay.seen[0]
        self.assertEqual((asked["model"], asked["temperature"], asked["max_tokens"]), ("m", 0, 2048))
        turns = {i.trajectory: json.loads(i.detail)["turns"] for i in items}
        self.assertEqual([turns[t.id] for t in taskset.load()[:8]], [1, 3, 1, 1, 1, 3, 1, 3])

    def test_second_turn(self):
        """An answer whose edits cannot be made is told why, and the next one counts."""
        self.relay.answer = lambda name, messages: SOLUTIONS[name] if len(messages) > 2 else block("none.py", "x\n", "")
        step, items = self.run_all(self.open(tasks=1))
        self.assertEqual((step.score.score.micro, json.loads(items[0].detail)), (1_000_000, {"ran": 2, "turns": 2}))
        _, asked = self.relay.seen[1]
        self.assertEqual([m["role"] for m in asked["messages"]], ["system", "user", "assistant", "user"])
        self.assertIn("There is no file none.py; there are durations.py.", asked["messages"][3]["content"])

    def test_resumed(self):
        self.relay.answer = lambda name, messages: SOLUTIONS[name] if len(messages) > 2 else "?"
        first = self.open(tasks=3, at_once=2).evaluate(EvaluateRequest(target=self.target))
        self.assertLess(len(first.state), 256 << 10)
        step, items = self.run_all(self.open(tasks=3, at_once=2), first.state)
        self.assertEqual((step.score.score.micro, len(items), len(self.relay.seen)), (1_000_000, 3, 6))

    def test_a_target_that_fails(self):
        """No answer is no wrong answer: after three tries the task is missing, and the score incomplete."""
        self.relay.answer = lambda name, messages: 503 if PLACE[name] == 1 else SOLUTIONS[name]
        step, items = self.run_all(self.open(tasks=2))
        missing = next(i for i in items if not i.scored)
        self.assertEqual(
            (missing.trajectory, missing.reason), ("fields", "the target gave no answer: the target answered with status 503")
        )
        score = step.score
        self.assertEqual((score.score.micro, score.complete, score.passed, score.missing), (500_000, False, False, 1))
        self.assertEqual(sum(name == "fields" for name, _ in self.relay.seen), 3)

    def test_threshold(self):
        self.relay.answer = lambda name, messages: SOLUTIONS[name] if PLACE[name] else ""
        for percent, passed in ((50, True), (51, False)):
            step, _ = self.run_all(self.open(tasks=2, min_percent=percent, turns=1))
            self.assertEqual((step.score.passed, step.score.threshold_micro), (passed, percent * 10_000))

    def test_cancel(self):
        self.relay.answer = lambda name, messages: SOLUTIONS[name]
        c = self.open(tasks=4, at_once=1)
        state = c.evaluate(EvaluateRequest(target=self.target)).state
        end = c.evaluate(EvaluateRequest(state=state, cancel=True))
        self.assertEqual(
            (end.done, end.score.complete, end.score.passed, end.score.scored, end.score.missing), (True, False, False, 1, 3)
        )
        nothing = c.evaluate(EvaluateRequest(cancel=True))
        self.assertFalse(nothing.score.HasField("score"))

    def test_strange_answers(self):
        for said in (None, 7, ["x"], "\ud800 " + "FILE: x\n" * 5000):
            self.relay.answer = lambda name, messages, said=said: said if not isinstance(said, int) else "7"
            step, items = self.run_all(self.open(tasks=1, turns=2))
            self.assertEqual(
                (step.score.score.micro, step.score.complete, items[0].reason), (0, True, "The answer has no block.")
            )

    def test_long_answers(self):
        """However much models say, the state stays below what the contract allows."""
        self.relay.answer = lambda name, messages: "\u00e9\n" * 100_000
        c, state = self.open(tasks=8, at_once=8, turns=5), b""
        for _ in range(4):
            state = c.evaluate(EvaluateRequest(state=state, target=self.target)).state
            self.assertLess(len(state), 256 << 10)

    def test_bad_config(self):
        for config in ({"tasks": 0}, {"tasks": 29}, {"turns": True}, {"at_once": 1.5}, {"other": 1}, {"min_percent": 101}):
            with self.subTest(config), self.assertRaises(paceline.Faults):
                self.open(**config)
        with self.assertRaises(paceline.Error):
            self.open().evaluate(EvaluateRequest(state=b"\xff", target=self.target))
        with self.assertRaises(paceline.Error):
            self.open().evaluate(EvaluateRequest(target=Target()))


if __name__ == "__main__":
    unittest.main()
