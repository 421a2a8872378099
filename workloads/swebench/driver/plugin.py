"""A scorer that runs SWE-bench here: mini-swe-agent drives the target through the runner's relay, the harness grades in containers."""

import json
import os
import pathlib
import platform
import re
import secrets

import crew
import instances
import paceline
import preflight
from paceline import Capability, Code, Unit

STEP = 3.0
"""How long a step waits for an outcome, in seconds."""

_NUMBERS = {
    # name: default, least, most, what it means
    "num_instances": (200, 1, 2500, "The first so many rows of the input are evaluated."),
    "workers": (10, 1, 32, "Agents at the same time; the relay takes 32 requests at once."),
    "max_eval_workers": (4, 1, 64, "Patches that are graded at the same time."),
    "request_s": (600, 1, 3600, "How long one answer of the target may take."),
    "pull_s": (1800, 1, 36000, "How long an image may take until its container runs."),
    "test_s": (1800, 1, 36000, "How long the tests of one instance may take."),
}
_RUN = re.compile(r"run-[0-9a-f]{16}\Z")


class Run(paceline.Evaluator):
    """All that lasts is in the folder of the configuration; the state names the run and the instances that are done."""

    name = "run"
    summary = "SWE-bench on this machine: share of instances that are resolved"
    unit = Unit.CONVERSATION
    capabilities = (Capability.CONTAINERS, Capability.INPUTS, Capability.NETWORK, Capability.TARGET, Capability.WORKDIR)
    inputs = (instances.INPUT,)
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["folder"],
        "properties": {
            "folder": {"type": "string", "description": "Absolute path of a folder for patches, trajectories and logs; each run gets one of its own in it."},
            "runtime": {"enum": list(preflight.RUNTIMES), "default": "docker"},
            "docker_host": {"type": "string", "description": "Address of the container daemon, e.g. unix:///run/podman/podman.sock."},
            "cache_level": {"enum": ["none", "base", "env", "instance"], "default": "env", "description": "Which images the harness leaves."},
            **{
                key: {"type": "integer", "default": default, "minimum": least, "maximum": most, "description": text}
                for key, (default, least, most, text) in _NUMBERS.items()
            },
        },
    }  # fmt: skip

    def __init__(self, opening):
        given = opening.settings("folder", "runtime", "docker_host", "cache_level", *_NUMBERS)
        numbers = {key: _number(given, key, *bounds[:3]) for key, bounds in _NUMBERS.items()}
        folder, runtime = _folder(given), _choice(given, "runtime", preflight.RUNTIMES, "docker")
        environment = preflight.environment(_text(given, "docker_host"))
        faults = preflight.packages() + preflight.containers(runtime, environment)
        if faults:
            raise paceline.Faults(faults)
        if platform.machine() not in ("x86_64", "AMD64"):
            opening.log.warning("the images of SWE-bench are for x86_64, and this machine is %s", platform.machine())
        self.rows = instances.read(opening.input(instances.INPUT), numbers["num_instances"])
        self.tools = {
            "folder": folder,
            "environment": environment,
            "executable": preflight.command(runtime),
            "label": os.environ.get("PLUGIN_CONTAINER_LABEL", ""),
            "agents": numbers["workers"],
            "graders": numbers["max_eval_workers"],
            "cache_level": _choice(given, "cache_level", ("none", "base", "env", "instance"), "env"),
            **{key: numbers[key] for key in ("request_s", "pull_s", "test_s")},
        }
        self.crew = None

    def evaluate(self, request):
        now = self.load(request.state)
        if request.cancel:
            if self.crew:
                self.crew.stop()
            return self.result(now, [])
        if not request.target.url:
            raise paceline.Error(
                Code.FAILED_PRECONDITION, "the host gives no relay to the target: is the capability target granted?"
            )
        if self.crew is None:
            self.crew = crew.Crew(crew.Tools(run=now["run"], **self.tools), self.rows)
        self.crew.work(request.target, STEP)
        fresh = [row["instance_id"] for row in self.rows if row["instance_id"] not in now["done"]]
        items = [self.item(now, name, self.crew.outcomes[name]) for name in fresh if name in self.crew.outcomes]
        return self.result(now, items) if len(now["done"]) == len(self.rows) else self.reply(now, items)

    def load(self, state):
        if not state:
            return {"run": "run-" + secrets.token_hex(8), "done": {}}
        try:
            now = json.loads(state)
            if _RUN.match(now["run"]) and isinstance(now["done"], dict):
                return now
        except (ValueError, KeyError, TypeError):
            pass
        raise paceline.Error(Code.INVALID_ARGUMENT, "this is no state of this plugin")

    def item(self, now, name, outcome):
        now["done"][name] = outcome.resolved if outcome.scored else None
        detail = {"exit_status": outcome.exit_status, "patch_bytes": outcome.patch_bytes}
        return paceline.ItemScore(
            trajectory=name,
            group=instances.group(name),
            scored=outcome.scored,
            micro=1_000_000 * outcome.resolved,
            reason=paceline.clean(outcome.reason),
            detail=json.dumps(detail, sort_keys=True).encode(),
        )

    def reply(self, now, items):
        resolved = sum(done is True for done in now["done"].values())
        return paceline.EvaluateResponse(
            state=json.dumps(now).encode(),
            items=items,
            items_done=len(now["done"]),
            items_total=len(self.rows),
            status=f"{now['run']}: {resolved} resolved",
        )

    def result(self, now, items):
        """The score: resolved of all that were asked for. It is incomplete where an instance was not scored."""
        requested, scored = len(self.rows), sum(done is not None for done in now["done"].values())
        resolved = sum(done is True for done in now["done"].values())
        reply = self.reply(now, items)
        reply.done = True
        reply.score.CopyFrom(
            paceline.ConcludeScoreResponse(
                higher_is_better=True,
                complete=scored == requested,
                passed=scored == requested,
                scored=scored,
                missing=requested - scored,
                parts=[
                    *(
                        _count(n, v)
                        for n, v in (("instances", requested), ("submitted", scored), ("resolved", resolved), ("repeats", 1))
                    ),
                    paceline.Value(
                        name="instance_ids", micro=requested * 1_000_000, unit="sha256:" + instances.digest(self.rows)
                    ),
                    *(
                        paceline.Value(name=n.replace("-", "_"), micro=_version(v), unit="version " + v)
                        for n, v in preflight.PINNED.items()
                    ),
                ],
            )
        )
        if scored:
            reply.score.score.CopyFrom(paceline.Value(name="resolved", unit="share", micro=resolved * 1_000_000 // requested))
        return reply


def _count(name, value):
    return paceline.Value(name=name, micro=value * 1_000_000, unit="count")


def _version(text):
    """2.3.0 as 2.003000: numbers are all that a value holds; its unit has the text."""
    major, minor, patch = map(int, text.split("."))
    return (major * 1000 + minor) * 1000 + patch


def _number(given, key, default, least, most):
    value = given.get(key, default)
    if type(value) is not int or not least <= value <= most:
        raise paceline.fault("bad-number", f"{value!r}", expected=f"a whole number from {least} to {most}", pointer="/" + key)
    return value


def _choice(given, key, known, default):
    value = given.get(key, default)
    if value not in known:
        raise paceline.fault("bad-value", f"{value!r}", expected="one of " + ", ".join(known), pointer="/" + key)
    return value


def _text(given, key):
    value = given.get(key, "")
    if not isinstance(value, str):
        raise paceline.fault("bad-value", f"{value!r}", expected="a text", pointer="/" + key)
    return value


def _folder(given):
    path = _text(given, "folder")
    if not os.path.isabs(path) or not os.path.isdir(path) or not os.access(path, os.W_OK):
        raise paceline.fault(
            "bad-path", "no such folder", expected="the absolute path of a folder that can be written to", pointer="/folder"
        )
    return pathlib.Path(path)


plugin = paceline.Plugin(name="swebench-driver", version="0.1.0", components=[Run])

if __name__ == "__main__":
    paceline.serve(plugin)
