"""Tests of the driver, with packages and a container command that stand in for the real ones."""

import hashlib
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "driver"))

import fakes
import paceline
import plugin as driver
import preflight
from paceline import Capability, EvaluateRequest, Target, testing

TOKEN = "relay-token-5d2b-EXAMPLE"
TARGET = Target(url="http://127.0.0.1:4711/v1", token=TOKEN, model="org/m")


class Bench(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.temp = pathlib.Path(temp.name)
        self.folder = self.temp / "kept"
        self.folder.mkdir()
        fakes.packages(self.temp / "site")
        fakes.container_command(self.temp)
        plain = preflight.environment
        for patch in (
            mock.patch.object(sys, "path", [*sys.path, str(self.temp / "site")]),
            mock.patch.object(preflight, "SEARCH", f"{self.temp}:/usr/bin:/bin"),
            mock.patch.object(preflight, "environment", lambda host="": {**plain(host), "PYTHONPATH": str(self.temp / "site")}),
            mock.patch.dict(os.environ, {"PLUGIN_CONTAINER_LABEL": "paceline=7", "SECRET_OF_THE_USER": "hush"}),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def open(self, rows, **config):
        config = {"folder": str(self.folder), "num_instances": len(rows), "workers": 2, "max_eval_workers": 2, **config}
        granted = [Capability.TARGET, Capability.CONTAINERS]
        return testing.open(driver.plugin, "run", config, inputs={"instances": fakes.lines(rows)}, granted=granted)


class Runs(Bench):
    def run_all(self, c, state=b""):
        items = []
        for _ in range(100):
            step = c.evaluate(EvaluateRequest(state=state, target=TARGET))
            items += step.items
            if step.done:
                return step, {i.trajectory: i for i in items}
            state = step.state
        self.fail("it does not end")

    def kept(self, name, file):
        [path] = self.folder.glob(f"run-*/{name}/{file}")
        return path

    def test_whole(self):
        rows = [
            fakes.row("a__x-1"),
            fakes.row("a__x-2", harness=False),
            fakes.row("a__x-3", patch=""),
            fakes.row("b__y-4", agent="LimitsExceeded", patch=None),
            fakes.row("b__y-5", harness=">>>>> Patch Apply Failed:\n"),
            fakes.row("b__y-6", harness="Test timed out after 1800 seconds."),
            fakes.row("b__y-7", agent="crash once"),
            fakes.row("b__y-8"),
        ]
        step, items = self.run_all(self.open(rows))
        score = step.score
        self.assertEqual((score.score.name, score.score.micro), ("resolved", 375_000))
        self.assertEqual((score.complete, score.passed, score.scored, score.missing), (True, True, 8, 0))
        parts = {p.name: (p.micro, p.unit) for p in score.parts}
        ids = "sha256:" + hashlib.sha256("".join(r["instance_id"] + "\n" for r in rows).encode()).hexdigest()
        self.assertEqual(
            parts,
            {
                "instances": (8_000_000, "count"), "submitted": (8_000_000, "count"), "resolved": (3_000_000, "count"), "repeats": (1_000_000, "count"),
                "instance_ids": (8_000_000, ids), "mini_swe_agent": (2_003_000, "version 2.3.0"), "swebench": (4_001_000, "version 4.1.0"),
            },
        )  # fmt: skip
        reasons = [items[r["instance_id"]].reason for r in rows]
        self.assertEqual(
            reasons, ["", "", "empty patch", "empty patch", "the patch does not apply", "the tests passed their time", "", ""]
        )
        self.assertEqual(items["b__y-4"].group, "b/y")
        self.assertEqual(json.loads(items["b__y-4"].detail), {"exit_status": "LimitsExceeded", "patch_bytes": 0})
        self.assertEqual(self.kept("b__y-7", "tries").read_text(), "xx")

    def test_what_the_agent_gets(self):
        self.run_all(self.open([fakes.row("a__x-1")]))
        config = json.loads(self.kept("a__x-1", "config.json").read_text())
        self.assertEqual(config["model"]["model_name"], "openai/org/m")
        self.assertEqual(
            config["model"]["model_kwargs"],
            {"drop_params": True, "api_base": TARGET.url, "extra_headers": {"Paceline-Conversation": "a__x-1"}, "timeout": 600},
        )
        self.assertEqual(config["agent"], {"step_limit": 250, "cost_limit": 0})
        self.assertEqual(config["environment"]["run_args"], ["--rm", "--label", "paceline=7"])
        self.assertEqual(config["environment"]["executable"], str(self.temp / "docker"))
        saw = json.loads(self.kept("a__x-1", "saw.json").read_text())
        self.assertEqual(saw.pop("OPENAI_API_KEY"), TOKEN)
        self.assertNotIn("SECRET_OF_THE_USER", saw)
        self.kept("a__x-1", "saw.json").unlink()
        for path in self.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(TOKEN, path.read_text(), path)
        self.assertEqual(json.loads(self.kept("a__x-1", "labels.json").read_text()), {"image": "x", "labels": {"paceline": "7"}})

    def test_accidents(self):
        """What is no doing of the model's is tried twice, and then missing."""
        rows = [
            fakes.row("a-1"),
            fakes.row("a-2", agent="crash"),
            fakes.row("a-3", agent="APIConnectionError"),
            fakes.row("a-4", harness="Error creating container"),
        ]
        step, items = self.run_all(self.open(rows))
        score = step.score
        self.assertEqual(
            (score.score.micro, score.complete, score.passed, score.scored, score.missing), (250_000, False, False, 1, 3)
        )
        self.assertEqual(
            [items[n].reason for n in ("a-2", "a-3", "a-4")],
            [
                "the process of the agent ended with 3; see agent.log",
                "the agent ended as APIConnectionError; see agent.log",
                "the harness left no report; see harness.log",
            ],
        )
        self.assertEqual(self.kept("a-2", "tries").read_text(), "xx")

    def test_resumed(self):
        """Another process goes on with the files: what is done is not done again, and what had an accident is tried anew."""
        rows = [fakes.row("a-1"), fakes.row("a-2", agent="crash"), fakes.row("a-3")]
        first = self.open(rows, workers=1)
        with mock.patch.object(driver, "STEP", 120.0):
            state = first.evaluate(EvaluateRequest(target=TARGET)).state
        first._instance._opened.crew.stop()
        step, _ = self.run_all(self.open(rows), state)
        self.assertEqual((step.score.scored, step.score.missing, len(list(self.folder.iterdir()))), (2, 1, 1))
        self.assertEqual(self.kept("a-1", "tries").read_text(), "x")
        again, items = self.run_all(
            self.open([fakes.row("a-1"), fakes.row("a-2"), fakes.row("a-3")]),
            json.dumps({**json.loads(state), "done": {}}).encode(),
        )
        self.assertEqual((again.score.score.micro, again.score.complete, len(items)), (1_000_000, True, 3))
        self.assertEqual(self.kept("a-1", "tries").read_text(), "x")

    def test_cancel(self):
        """The processes end, and the containers with the label go."""
        c = self.open([fakes.row("a-1"), fakes.row("a-2", agent="hang")])
        with mock.patch.object(driver, "STEP", 120.0):
            state = c.evaluate(EvaluateRequest(target=TARGET)).state
        [process] = c._instance._opened.crew.running.values()
        self.assertTrue(fakes.alive(process.pid))
        end = c.evaluate(EvaluateRequest(state=state, cancel=True))
        self.assertFalse(fakes.alive(process.pid))
        self.assertEqual(
            (end.done, end.score.complete, end.score.passed, end.score.scored, end.score.missing), (True, False, False, 1, 1)
        )
        calls = (self.temp / "docker.calls").read_text().splitlines()
        self.assertEqual(calls[-2:], ["ps -aq --filter label=paceline=7", "rm -f c0ffee"])
        self.assertFalse(self.open([fakes.row("a-1")]).evaluate(EvaluateRequest(cancel=True)).score.HasField("score"))


class Preflight(Bench):
    def refused(self, *, rows=None, **config):
        with self.assertRaises(paceline.Faults) as e:
            self.open(rows or [fakes.row("a-1")], **config)
        return e.exception.faults

    def test_no_runtime(self):
        (self.temp / "docker").unlink()
        with mock.patch.object(preflight, "SEARCH", str(self.temp)):
            [fault] = self.refused()
        self.assertEqual(
            (fault.code, fault.pointer, fault.message), ("no-container-runtime", "/runtime", f"docker is not in {self.temp}")
        )
        self.assertIn("elsewhere use swebench/service", fault.expected)

    def test_a_runtime_that_does_not_answer(self):
        fakes.container_command(self.temp, code=1, says="Cannot connect to the daemon")
        [fault] = self.refused()
        self.assertEqual(
            (fault.code, fault.message), ("no-container-runtime", "docker does not answer: Cannot connect to the daemon")
        )

    def test_podman(self):
        fakes.container_command(self.temp, "podman")
        [fault] = self.refused(runtime="podman")
        self.assertEqual((fault.code, fault.pointer), ("no-docker-host", "/docker_host"))
        self.open([fakes.row("a-1")], runtime="podman", docker_host="unix:///run/podman.sock")

    def test_packages(self):
        site = self.temp / "site"
        (site / "mini_swe_agent-2.3.0.dist-info/METADATA").unlink()
        (site / "mini_swe_agent-2.3.0.dist-info").rmdir()
        (site / "swebench-4.1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: swebench\nVersion: 4.0.3\n")
        missing, other = self.refused()
        self.assertEqual((missing.code, missing.message), ("missing-package", "mini-swe-agent is not installed"))
        self.assertEqual((other.code, other.message), ("other-version", "swebench 4.0.3 is installed"))
        self.assertIn("-m pip install mini-swe-agent==2.3.0 swebench==4.1.0", other.expected)

    def test_configuration(self):
        for config, pointer in (
            ({"folder": "kept"}, "/folder"),
            ({"folder": "/no/such"}, "/folder"),
            ({"workers": 33}, "/workers"),
            ({"num_instances": 2}, "/num_instances"),
            ({"runtime": "lxc"}, "/runtime"),
            ({"docker_host": 5}, "/docker_host"),
            ({"template": "qwen_tools"}, "/template"),
        ):
            with self.subTest(config):
                self.assertEqual(self.refused(**config)[0].pointer, pointer)

    def test_instances(self):
        good = fakes.row("a-1")
        for rows, code, line in (
            ([good, good], "duplicate-id", 2),
            ([{**good, "instance_id": "../x"}], "bad-id", 1),
            ([{**good, "instance_id": 7}], "bad-id", 1),
            ([[]], "bad-type", 1),
            ([{k: v for k, v in good.items() if k != "FAIL_TO_PASS"}], "missing-key", 1),
        ):
            with self.subTest(code):
                [fault] = self.refused(rows=rows)
                self.assertEqual((fault.input, fault.code, fault.line), ("instances", code, line))

    def test_states(self):
        c = self.open([fakes.row("a-1")])
        for state in (b"\xff", b"{}", b'{"run":"../x","done":{}}', b'{"run":"run-0123456789abcdef","done":[]}'):
            with self.subTest(state), self.assertRaises(paceline.Error):
                c.evaluate(EvaluateRequest(state=state, target=TARGET))
        with self.assertRaises(paceline.Error):
            c.evaluate(EvaluateRequest(target=Target()))


if __name__ == "__main__":
    unittest.main()
