"""The process that lets the SWE-bench harness grade one patch: its job comes on the standard input, graded.json is what it leaves.

The harness gets the row itself, so it loads no data set. Its containers get the label by which the runner removes what is left.
"""

import json
import os
import pathlib
import sys

job = json.load(sys.stdin)
from docker.models import containers
from swebench.harness.run_evaluation import run_instances

create = containers.ContainerCollection.create


def labelled(self, *args, **kwargs):
    key, _, value = job["label"].partition("=")
    return create(self, *args, **{**kwargs, "labels": {**(kwargs.get("labels") or {}), key: value}})


if job["label"]:
    containers.ContainerCollection.create = labelled

out, name = pathlib.Path(job["out"]), job["instance"]["instance_id"]
os.chdir(out)
run_instances(
    {name: {"instance_id": name, "model_name_or_path": "model", "model_patch": job["patch"]}},
    [job["instance"]],
    cache_level=job["cache_level"],
    clean=False,
    force_rebuild=False,
    max_workers=1,
    run_id=job["run"],
    timeout=job["test_s"],
)
logs = out / "logs" / "run_evaluation" / job["run"] / "model" / name
graded = {"completed": False, "resolved": False, "reason": "the harness left no report"}
if (logs / "report.json").exists():
    graded = {
        "completed": True,
        "resolved": json.loads((logs / "report.json").read_text())[name]["resolved"] is True,
        "reason": "",
    }
elif (logs / "run_instance.log").exists():
    said = (logs / "run_instance.log").read_text(errors="replace")
    for sign, reason in (("Patch Apply Failed", "the patch does not apply"), ("Test timed out", "the tests passed their time")):
        if sign in said:
            graded = {"completed": True, "resolved": False, "reason": reason}
left = out / ".graded.json"
left.write_text(json.dumps(graded))
os.replace(left, out / "graded.json")
