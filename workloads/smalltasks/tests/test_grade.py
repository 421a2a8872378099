"""Tests of the tasks and of how they are graded."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "plugin"))

import agent
import edits
import grade
import taskset


grade.WALL = 300.0  # a busy machine is no fault of a solution


def solution(task):
    """The stored solution, in the words of a model."""
    return (HERE.parent / "solutions" / f"{task.id}.edit").read_text()


def block(name, search, replace):
    return f"FILE: {name}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def task(name):
    return next(t for t in taskset.load() if t.id == name)


class Tasks(unittest.TestCase):
    def test_each_fails_before_and_passes_after(self):
        self.assertGreaterEqual(len(taskset.load()), 20)
        for t in taskset.load():
            with self.subTest(t.id):
                before = grade.grade(t, t.files)
                self.assertFalse(before.passed)
                self.assertIn("the check failed", before.reason)
                self.assertEqual(before.ran, t.tests)
                self.assertEqual(agent.judge(t, solution(t)), agent.Verdict(True, 1_000_000, "", t.tests))

    def test_what_solves_nothing(self):
        """A wrong, an empty and a test-editing answer score 0, for each task; the last one without being run."""
        for t in taskset.load():
            name, text = next(iter(t.files.items()))
            first = text.split("\n", 1)[0] + "\n"
            wrong = block(name, first, first + "# mended\n")
            with self.subTest(t.id):
                self.assertEqual(agent.judge(t, ""), agent.Verdict(False, reason="The answer has no block."))
                touched = agent.judge(t, solution(t) + block("check.py", t.check, "import unittest\n"))
                self.assertEqual((touched.done, touched.micro, touched.ran), (True, 0, 0))
                self.assertIn("touch the tests", touched.reason)
                mended = agent.judge(t, wrong)
                self.assertEqual((mended.done, mended.micro, mended.ran), (True, 0, t.tests))

    def test_every_kind(self):
        kinds = {t.kind for t in taskset.load()}
        self.assertEqual(kinds, {"parsing", "dates", "recursion", "generators", "classes", "edge cases", "two files"})
        for t in taskset.load():
            self.assertEqual(len(t.files) == 2, t.kind == "two files", t.id)
            self.assertNotIn(t.check, agent.question(t))

    def test_digest(self):
        whole = taskset.load()
        self.assertEqual(len(taskset.digest(whole)), 64)
        self.assertNotEqual(taskset.digest(whole), taskset.digest(whole[1:]))


class Edits(unittest.TestCase):
    files = {"a.py": "x = 1\ny = 1\n", "b.py": "z = 1\n"}

    def test_made(self):
        answer = "I think:\n\n**FILE: `a.py`**\n```\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REPLACE\n```\n" + block(
            "b.py", "z = 1\n", ""
        )
        self.assertEqual(edits.apply(self.files, edits.parse(answer)), {"a.py": "x = 1\ny = 2\n", "b.py": ""})
        both = block("a.py", "x = 1\n", "x = 3\n") + "<<<<<<< SEARCH\nx = 3\n=======\nx = 4\n>>>>>>> REPLACE\n"
        self.assertEqual(edits.apply(self.files, edits.parse(both))["a.py"], "x = 4\ny = 1\n")
        self.assertEqual(self.files["a.py"], "x = 1\ny = 1\n")

    def test_unusable(self):
        for answer, says in (
            ("", "no block"),
            ("FILE: a.py\nx = 2\n", "no block"),
            ("<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n", "before any FILE"),
            (block("a.py", "x = 1\n", "x = 2\n")[:-9], "no end"),
            (block("c.py", "", "x\n"), "no file c.py; there are a.py, b.py"),
            (block("/etc/passwd", "root\n", "x\n"), "no file /etc/passwd"),
            (block("a.py", "", "x\n"), "stands there 0 times"),
            (block("a.py", "q\n", "x\n"), "stands there 0 times"),
            (block("a.py", "= 1\n", "= 2\n"), "stands there 2 times"),
            (block("a.py", "x = 1\n", "x" * edits.MAX_FILE + "\n"), "more than 65536"),
        ):
            with self.subTest(answer[:40]), self.assertRaisesRegex(edits.Unusable, says):
                edits.apply(self.files, edits.parse(answer))

    def test_tests(self):
        for name in (
            "check.py",
            "./check.py",
            "x/../check.py",
            "test_a.py",
            "tests/a.py",
            "a_test.py",
            "Tests\\a.py",
            "conftest.py",
            "CHECK.PY",
        ):
            with self.subTest(name), self.assertRaises(edits.TouchesTests):
                edits.apply(self.files, [("a.py", "no such text", ""), (name, "", "x")])


class Hostile(unittest.TestCase):
    """What a model may write by accident: none of it passes, and none of it outlives its time."""

    def run_with(self, code, **bounds):
        return grade.grade(task("months"), {"months.py": code}, **bounds)

    def test_ends_early(self):
        for code in (
            "import sys\nsys.exit(0)",
            "import os\nos._exit(0)",
            "raise KeyboardInterrupt",
            "def (",
            "import os\nos.abort()",
            "1/0",
        ):
            with self.subTest(code):
                self.assertFalse(self.run_with(code).passed)

    def test_forged(self):
        forged = "import os, sys\nos.write(int(sys.argv[2]), b'1 1 ')\nos._exit(0)"
        self.assertFalse(self.run_with(forged).passed)

    def test_own_check(self):
        """A check that stands where the pinned one belongs is not run."""
        got = grade.grade(task("months"), {**task("months").files, "check.py": "import unittest\n"})
        self.assertEqual((got.passed, got.ran), (False, 1))

    def test_without_end(self):
        got = self.run_with("while True: pass", wall=1.0)
        self.assertEqual((got.passed, got.reason), (False, "the check did not end: the time is up"))

    def test_too_much(self):
        for code, says in (
            ("x = bytearray(8 << 30)", "MemoryError"),
            ("open('big', 'wb').write(bytes(64 << 20))", "File too large"),
            ("import subprocess\nsubprocess.run(['true'])", "not allowed"),
            ("import os\nos.fork()", "not allowed"),
            ("import os\nos.system('true')", "not allowed"),
            ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "not allowed"),
        ):
            with self.subTest(code):
                got = self.run_with(code)
                self.assertFalse(got.passed)
                self.assertIn(says, got.reason)

    def test_flood(self):
        got = self.run_with("import os\nwhile True: os.write(1, b'x' * 65536)")
        self.assertFalse(got.passed)
        self.assertLess(len(got.reason), 500)

    def test_environment(self):
        code = "import os, sys\nprint(sorted(os.environ), [p for p in sys.path if 'site-packages' in p])\n1/0"
        self.assertIn("['HOME', 'LANG', 'PATH', 'PYTHONHASHSEED', 'TMPDIR', 'TZ'] []", self.run_with(code).reason)


if __name__ == "__main__":
    unittest.main()
