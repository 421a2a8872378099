"""Stands in for mini-swe-agent, the SWE-bench harness and a container command: what they do is written in each row, under "fake"."""

import json
import os
import pathlib
import stat

SWEBENCH = """
import json, os, pathlib, sys, time
DEFAULT_CONFIG_FILE = "swebench.yaml"
def process_instance(instance, output_dir, config, progress_manager):
    fake, name = instance["fake"], instance["instance_id"]
    pathlib.Path(output_dir, "config.json").write_text(json.dumps(config))
    pathlib.Path(output_dir, "saw.json").write_text(json.dumps(dict(os.environ)))
    tries = pathlib.Path(output_dir, "tries")
    tries.write_text((tries.read_text() if tries.exists() else "") + "x")
    progress_manager.on_instance_start(name)
    if fake["agent"] == "crash" or fake["agent"] == "crash once" and tries.read_text() == "x":
        sys.exit(3)
    if fake["agent"] == "hang":
        time.sleep(3600)
    pathlib.Path(output_dir, "preds.json").write_text(json.dumps({name: {"model_patch": fake["patch"]}}))
    progress_manager.on_instance_end(name, fake["agent"].replace("crash once", "Submitted"))
"""

HARNESS = """
import json, pathlib
from docker.models.containers import ContainerCollection
def run_instances(predictions, instances, cache_level, clean, force_rebuild, max_workers, run_id, timeout):
    [row] = instances
    name, fake = row["instance_id"], row["fake"]
    logs = pathlib.Path("logs/run_evaluation", run_id, "model", name)
    logs.mkdir(parents=True, exist_ok=True)
    made = ContainerCollection().create(image="x")
    pathlib.Path("labels.json").write_text(json.dumps(made))
    if fake["harness"] in (True, False):
        (logs / "report.json").write_text(json.dumps({name: {"resolved": fake["harness"]}}))
    else:
        (logs / "run_instance.log").write_text(fake["harness"])
"""

FILES = {
    "minisweagent/__init__.py": "",
    "minisweagent/config.py": 'def get_config_from_spec(spec):\n    assert spec == "swebench.yaml"\n'
    '    return {"agent": {"step_limit": 250, "cost_limit": 3.0}, "model": {"model_kwargs": {"temperature": 0.0, "drop_params": True}}, '
    '"environment": {"cwd": "/testbed"}}\n',
    "minisweagent/run/__init__.py": "",
    "minisweagent/run/benchmarks/__init__.py": "",
    "minisweagent/run/benchmarks/swebench.py": SWEBENCH,
    "swebench/__init__.py": "",
    "swebench/harness/__init__.py": "",
    "swebench/harness/run_evaluation.py": HARNESS,
    "docker/__init__.py": "",
    "docker/models/__init__.py": "",
    "docker/models/containers.py": "class ContainerCollection:\n    def create(self, *args, **kwargs):\n        return kwargs\n",
    "mini_swe_agent-2.3.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: mini-swe-agent\nVersion: 2.3.0\n",
    "swebench-4.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: swebench\nVersion: 4.1.0\n",
}


def packages(folder):
    """Writes the packages."""
    for name, text in FILES.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def container_command(folder, name="docker", *, code=0, says=""):
    """Writes a command that notes its arguments and lists one container."""
    path = pathlib.Path(folder, name)
    body = f'echo "$@" >> {folder}/{name}.calls\n[ "$1" = ps ] && [ $# -gt 2 ] && echo c0ffee\n[ -z "{says}" ] || echo "{says}" >&2\nexit {code}\n'
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def row(name, *, agent="Submitted", patch="diff --git a/x b/x\n", harness=True):
    """A row of the data set."""
    fields = ("repo", "base_commit", "problem_statement", "test_patch", "version", "FAIL_TO_PASS", "PASS_TO_PASS")
    return {"instance_id": name, **dict.fromkeys(fields, ""), "fake": {"agent": agent, "patch": patch, "harness": harness}}


def lines(rows):
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
