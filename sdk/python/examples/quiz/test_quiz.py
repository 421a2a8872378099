"""Tests of the example with a live workload and an evaluator; the host's relay is played by a small server."""

import http.server
import json
import re
import threading
import unittest

import plugin as quiz

import paceline
from paceline import Answer, Code, EvaluateRequest, Target, testing


def said(text):
    return Answer(message=json.dumps({"role": "assistant", "content": text}).encode(), outcome="ok")


class Live(unittest.TestCase):
    def setUp(self):
        self.c = testing.open(quiz.plugin, "sums", {"questions": 3})

    def test_solved(self):
        t = self.c.plan(2)
        self.assertEqual((len(t.turns), json.loads(t.truth)), (1, sum(quiz.sum_of(2))))
        step = self.c.next(t.state, 0, said(f"I think {sum(quiz.sum_of(2))}"))
        self.assertEqual((step.end.outcome, list(step.turns)), ("solved", []))

    def test_gives_up(self):
        state = self.c.plan(0).state
        for turn in (0, 1):
            step = self.c.next(state, turn, said("no idea"))
            self.assertFalse(step.HasField("end"))
            self.assertEqual(step.turns[0].index, turn + 1)
            again = testing.open(quiz.plugin, "sums", {"questions": 3}).next(state, turn, said("no idea"))
            self.assertEqual(again, step)  # any instance goes on
            state = step.state
        self.assertEqual(self.c.next(state, 2, Answer(outcome="timeout")).end.outcome, "gave-up")

    def test_bad_input(self):
        for config in ({"questions": 0}, {"questions": True}, {"questions": 1e9}, {"other": 1}):
            with self.assertRaises(paceline.Faults):
                testing.open(quiz.plugin, "sums", config)
        with self.assertRaises(paceline.Error) as e:
            self.c.next(b"\xff", 0, said(""))
        self.assertEqual(e.exception.code, Code.INVALID_ARGUMENT)


class Relay(http.server.BaseHTTPRequestHandler):
    """The host's relay: it knows two sums of three, and answers as the server's mode says."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers["Authorization"], asked))
        a, b = map(int, re.findall(r"\d+", asked["messages"][0]["content"])[:2])
        content = f"{a + b + (len(self.server.seen) % 3 == 0)}."
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        status = 200
        if self.server.mode == "broken":
            body = b'{"choices": []}'
        elif self.server.mode == "deep":
            body = b"[" * 100_000
        elif self.server.mode == "moved":
            status = 302
        elif self.server.mode == "over":
            status = 503
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.server.mode == "cut" else body)

    def log_message(self, *_):
        pass


class Evaluates(unittest.TestCase):
    def setUp(self):
        self.relay = http.server.HTTPServer(("127.0.0.1", 0), Relay)
        self.relay.seen, self.relay.mode = [], ""
        thread = threading.Thread(target=self.relay.serve_forever)
        thread.start()
        self.addCleanup(self.relay.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.relay.shutdown)
        url = f"http://127.0.0.1:{self.relay.server_address[1]}/v1"
        self.target = Target(url=url, token="for-this-evaluation", model="m", params=b'{"temperature":0}')
        self.c = testing.open(quiz.plugin, "exam", {"questions": 6, "step": 4}, granted=[paceline.Capability.TARGET])

    def step(self, state=b"", cancel=False):
        return self.c.evaluate(EvaluateRequest(state=state, target=self.target, cancel=cancel))

    def test_whole(self):
        first = self.step()
        self.assertEqual((first.done, first.items_done, first.items_total, len(first.items)), (False, 4, 6, 4))
        last = self.step(first.state)
        self.assertEqual((last.done, last.items_done, len(last.items)), (True, 6, 2))
        self.assertEqual([i.micro > 0 for i in [*first.items, *last.items]], [True, True, False, True, True, False])
        score = last.score
        self.assertEqual((score.score.micro, score.complete, score.scored, score.missing), (4_000_000 // 6, True, 6, 0))
        path, authorization, asked = self.relay.seen[0]
        self.assertEqual((path, authorization), ("/v1/chat/completions", "Bearer for-this-evaluation"))
        self.assertEqual((asked["model"], asked["temperature"], asked["max_tokens"], asked["stream"]), ("m", 0, 64, False))

    def test_cancel(self):
        end = self.step(self.step().state, cancel=True)
        self.assertEqual((end.done, end.score.complete, end.score.passed, end.score.missing), (True, False, False, 2))
        self.assertEqual(len(self.relay.seen), 4)

    def test_a_bad_relay(self):
        for mode in ("broken", "deep", "moved", "over", "cut"):
            with self.subTest(mode):
                self.relay.mode = mode
                with self.assertRaises(paceline.Error) as e:
                    self.step()
                self.assertEqual(e.exception.code, Code.UNAVAILABLE)

    def test_no_relay(self):
        for target in (None, Target(url="http://127.0.0.1:1/v1"), Target(url="file:///etc/hostname"), Target(url="http://[")):
            with self.subTest(target), self.assertRaises(paceline.Error):
                self.c.evaluate(EvaluateRequest(target=target))


if __name__ == "__main__":
    unittest.main()
