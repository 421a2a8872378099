"""Lets a number of processes work on instances side by side: an agent makes a patch, then the harness grades it.

All that counts is in files, one folder an instance, so that another process of the plugin goes on where this one ended:
patch.json once there is a patch, graded.json once it is graded, outcome.json at the end. A process that an accident of the
machine ended is started once more; then its instance is missing, and never a wrong answer.
"""

import json
import os
import pathlib
import pkgutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

TRIES = 2

MODELS_OWN = frozenset(["Submitted", "LimitsExceeded", "TimeExceeded", "ContextWindowExceededError", "BadRequestError"])
"""Ends of an agent that are the model's doing; all others are accidents of machine, network or target."""


@dataclass(frozen=True)
class Outcome:
    """What came of an instance. One that was not scored says why in its reason."""

    scored: bool
    resolved: bool = False
    reason: str = ""
    exit_status: str = ""
    patch_bytes: int = 0


@dataclass(frozen=True)
class Tools:
    """What processes are started with."""

    run: str
    folder: pathlib.Path
    environment: dict
    executable: str
    label: str
    agents: int
    graders: int
    request_s: int = 600
    pull_s: int = 1800
    test_s: int = 1800
    cache_level: str = "env"


class Crew:
    """The processes of one run, in one process of the plugin."""

    def __init__(self, tools, rows):
        self.tools = tools
        self.rows = {row["instance_id"]: row for row in rows}
        self.running = {}  # (kind, instance): process
        self.failed = {}  # (kind, instance): how often
        self.outcomes = {}
        for name in self.rows:
            found = _load(self.place(name) / "outcome.json")
            if found and found["scored"]:  # an accident may not happen again
                self.outcomes[name] = Outcome(**found)

    def place(self, name):
        """The folder of an instance."""
        return self.tools.folder / self.tools.run / name

    def work(self, target, seconds):
        """Starts what can be started and waits until an outcome is there, at most so long."""
        before, until = len(self.outcomes), time.monotonic() + seconds
        while True:
            self._reap()
            for name in self.rows:
                self._advance(name, target)
            if len(self.outcomes) > before or len(self.outcomes) == len(self.rows) or time.monotonic() >= until:
                return
            time.sleep(min(0.2, seconds))

    def stop(self):
        """Ends all processes, and removes the containers that carry the label."""
        for process in self.running.values():
            _end(process)
        self.running = {}
        if not self.tools.label:
            return
        docker = [self.tools.executable]
        bounds = {"env": self.tools.environment, "capture_output": True, "text": True, "timeout": 20}
        try:
            ids = subprocess.run([*docker, "ps", "-aq", "--filter", f"label={self.tools.label}"], **bounds).stdout.split()
            if ids:
                subprocess.run([*docker, "rm", "-f", *ids], **bounds)
        except (OSError, subprocess.SubprocessError):
            pass  # the runner's guard tries it again when the plugin ends

    def _reap(self):
        for (kind, name), process in list(self.running.items()):
            if process.poll() is None:
                continue
            del self.running[kind, name]
            _end(process)  # what it has left behind
            self._after(kind, name, process.returncode)

    def _after(self, kind, name, code):
        """Takes what a process left, or counts its failure."""
        file = self.place(name) / ("patch.json" if kind == "agent" else "graded.json")
        made, status = _load(file), ""
        if made is None:
            why = f"the process of the {kind} ended with {code}"
        elif kind == "agent":
            status = made["exit_status"]
            why = "" if status in MODELS_OWN else f"the agent ended as {status}"
        else:
            why = "" if made["completed"] else made["reason"]
        if not why:
            return
        file.unlink(missing_ok=True)
        self.failed[kind, name] = self.failed.get((kind, name), 0) + 1
        if self.failed[kind, name] >= TRIES:
            self._finish(name, Outcome(False, reason=f"{why}; see {kind}.log", exit_status=status))

    def _advance(self, name, target):
        """Takes an instance one stage further, where there is room."""
        if name in self.outcomes or any(n == name for _, n in self.running):
            return
        made = _load(self.place(name) / "patch.json")
        if made is None:
            if self._room("agent", self.tools.agents):
                self._start("agent", name, {"url": target.url, "model": target.model}, {"OPENAI_API_KEY": target.token})
            return
        about = {"exit_status": made["exit_status"], "patch_bytes": len(made["patch"].encode("utf-8", "replace"))}
        if not made["patch"].strip():
            self._finish(name, Outcome(True, reason="empty patch", **about))
            return
        graded = _load(self.place(name) / "graded.json")
        if graded is not None:
            self._finish(name, Outcome(True, graded["resolved"], graded["reason"], **about))
        elif self._room("harness", self.tools.graders):
            self._start("harness", name, {"patch": made["patch"]}, {})

    def _room(self, kind, most):
        return sum(k == kind for k, _ in self.running) < most

    def _start(self, kind, name, more, secret):
        place = self.place(name)
        place.mkdir(parents=True, exist_ok=True)
        t = self.tools
        job = {
            "instance": self.rows[name], "out": str(place), "run": t.run, "label": t.label, "executable": t.executable,
            "request_s": t.request_s, "pull_s": t.pull_s, "test_s": t.test_s, "cache_level": t.cache_level, **more,
        }  # fmt: skip
        code = pkgutil.get_data(__name__, f"{kind}_child.py").decode()
        with open(place / f"{kind}.log", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                env={**t.environment, **secret}, cwd=place, start_new_session=True,
            )  # fmt: skip
        try:
            process.stdin.write(json.dumps(job).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended already, and its log says why
        self.running[kind, name] = process

    def _finish(self, name, outcome):
        place = self.place(name)
        place.mkdir(parents=True, exist_ok=True)
        left = place / ".outcome.json"
        left.write_text(json.dumps(asdict(outcome), sort_keys=True))
        os.replace(left, place / "outcome.json")
        self.outcomes[name] = outcome


def _load(path):
    """A JSON object of ours; None where it is not there or not whole."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _end(process):
    """Ends a process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
