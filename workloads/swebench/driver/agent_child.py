"""The process that lets mini-swe-agent work on one instance: its job comes on the standard input, patch.json is what it leaves.

The model's key is in OPENAI_API_KEY and never in the configuration, which mini-swe-agent writes into its trajectory.
"""

import json
import os
import pathlib
import sys

job = json.load(sys.stdin)
from minisweagent.config import get_config_from_spec
from minisweagent.run.benchmarks import swebench


class Quiet:
    """What shows progress elsewhere; here it remembers how the agent ended."""

    status = ""

    def on_instance_start(self, _):
        pass

    def update_instance_status(self, *_):
        pass

    def on_instance_end(self, _, status):
        self.status = str(status)


config = get_config_from_spec(str(swebench.DEFAULT_CONFIG_FILE))
model = config.setdefault("model", {})
model["model_name"] = "openai/" + job["model"]
model["cost_tracking"] = "ignore_errors"
kept = {k: v for k, v in model.get("model_kwargs", {}).items() if k not in ("temperature", "top_p", "seed")}  # they are the run's
headers = {"Paceline-Conversation": job["instance"]["instance_id"]}
model["model_kwargs"] = {**kept, "api_base": job["url"], "extra_headers": headers, "timeout": job["request_s"]}
config.setdefault("agent", {})["cost_limit"] = 0
environment = config.setdefault("environment", {})
environment |= {
    "environment_class": "docker",
    "executable": job["executable"],
    "run_args": ["--rm", *(["--label", job["label"]] if job["label"] else [])],
    "pull_timeout": job["pull_s"],
}

out, progress = pathlib.Path(job["out"]), Quiet()
swebench.process_instance(job["instance"], out, config, progress)
made = json.loads((out / "preds.json").read_text())[job["instance"]["instance_id"]]
left = out / ".patch.json"
left.write_text(json.dumps({"exit_status": progress.status, "patch": made["model_patch"] or ""}))
os.replace(left, out / "patch.json")
