"""Grades what a model made of a task: files and check in a folder of their own, run by a process that is bound in all it can use."""

import functools
import os
import pkgutil
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from taskset import CHECK

WALL = 20.0
"""The longest that a check may take, in seconds."""

_SHOWN = 300


@dataclass(frozen=True)
class Grade:
    """Whether the check passed, how many of its tests ran, and what it said where it did not."""

    passed: bool
    ran: int
    reason: str


@functools.cache
def fence():
    """The command that takes the network away, empty where the system does not let it."""
    program = shutil.which("unshare")
    command = [program, "--map-root-user", "--net", "--"]
    try:
        if program and subprocess.run([*command, "true"], capture_output=True, timeout=20).returncode == 0:
            return tuple(command)
    except (OSError, subprocess.SubprocessError):
        pass
    return ()


def grade(task, files, *, wall=None):
    """Runs a task's check over files. The check is the pinned one, whatever the files are named."""
    with tempfile.TemporaryDirectory(prefix="task-") as home:
        folder = os.path.join(home, "code")
        os.mkdir(folder)
        for name, text in {**files, CHECK: task.check}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8", errors="replace") as f:
                f.write(text)
        return _judge(task, *_run(home, folder, wall or WALL))


def _run(home, folder, wall):
    """The word that a whole run ends with, what came on the descriptor, and what was printed."""
    word = secrets.token_hex(16)
    result, descriptor = os.pipe()
    printed = os.path.join(home, "printed")
    child = pkgutil.get_data(__name__, "child.py").decode()
    env = {"PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
    try:
        with open(printed, "wb") as out:
            process = subprocess.Popen(
                [*fence(), sys.executable, "-S", "-s", "-B", "-c", child, folder, str(descriptor)],
                stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, pass_fds=[descriptor], env=env, cwd=home, start_new_session=True,
            )  # fmt: skip
        try:
            process.communicate(word.encode(), timeout=wall)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end(process)
        os.set_blocking(result, False)
        try:
            said = os.read(result, 4096).decode("utf-8", "replace")
        except BlockingIOError:
            said = ""
        with open(printed, encoding="utf-8", errors="replace") as f:
            return word, process.returncode, said, f.read(1 << 16)
    finally:
        os.close(result)
        os.close(descriptor)


def _end(process):
    """Ends a process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _judge(task, word, code, said, printed):
    ran, _, rest = said.partition(" ")
    good, _, told = rest.partition(" ")
    tail = " ".join(printed.split())[-_SHOWN:]
    if told != word:
        how = "the time is up" if code == -signal.SIGKILL else f"ended with {code}"
        return Grade(False, 0, f"the check did not end: {how}; {tail}".rstrip("; "))
    if int(ran) != task.tests:
        return Grade(False, int(ran), f"{ran} of {task.tests} tests ran: {tail}")
    return Grade(good == "1", int(ran), "" if good == "1" else f"the check failed: {tail}")
