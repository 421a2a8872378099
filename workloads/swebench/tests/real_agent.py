"""Lets the real mini-swe-agent mend one file through the driver, with scripted answers and a folder in place of a container.

`python real_agent.py` in an environment with the pinned packages. The harness speaks to a Docker daemon, so where there is none the
instance is missing in the end; what the agent asked, made and left behind is held to what it has to be.
"""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "driver")]

import fakes
import plugin as driver
import preflight
from paceline import Capability, EvaluateRequest, Target, testing

TOKEN = "relay-token-5d2b-EXAMPLE"
COMMANDS = ("sed -i s/1/2/ m.py", "git diff -- m.py > patch.txt", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt")
DOCKER = """#!/bin/bash
case $1 in
run) echo box;;
exec) while [ "$1" != box ]; do shift; done; shift; cd {box}; exec "$@";;
esac
"""


class Relay(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers["Authorization"], self.headers["Paceline-Conversation"], asked))
        n = sum(m["role"] == "assistant" for m in asked["messages"])
        call = {
            "id": f"c{n}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": COMMANDS[n]})},
        }
        message = {"role": "assistant", "content": "THOUGHT: next", "tool_calls": [call]}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        body = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main(temp):
    box, kept = temp / "box", temp / "kept"
    box.mkdir()
    kept.mkdir()
    (box / "m.py").write_text("x = 1\n")
    for command in (
        ["init", "-q"],
        ["add", "m.py"],
        ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *command], cwd=box, check=True)
    docker = temp / "docker"
    docker.write_text(DOCKER.format(box=box))
    docker.chmod(0o755)
    preflight.SEARCH = f"{temp}:{preflight.SEARCH}"
    relay = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    relay.seen = []
    threading.Thread(target=relay.serve_forever, daemon=True).start()
    row = {**fakes.row("a__x-1"), "repo": "astropy/astropy", "version": "4.3", "problem_statement": "x has to be 2"}
    row |= {"FAIL_TO_PASS": "[]", "PASS_TO_PASS": "[]"}
    config = {"folder": str(kept), "num_instances": 1}
    c = testing.open(driver.plugin, "run", config, inputs={"instances": fakes.lines([row])}, granted=[Capability.TARGET])
    target, step = Target(url=f"http://127.0.0.1:{relay.server_address[1]}/v1", token=TOKEN, model="m"), None
    for _ in range(60):
        step = c.evaluate(EvaluateRequest(state=step.state if step else b"", target=target))
        if step.done:
            break
    [place] = kept.glob("run-*/a__x-1")
    made = json.loads((place / "patch.json").read_text())
    assert made["exit_status"] == "Submitted" and "-x = 1\n+x = 2\n" in made["patch"], made
    assert len(relay.seen) == 3, relay.seen
    for path, authorization, conversation, asked in relay.seen:
        assert (path, authorization, conversation, asked["model"]) == ("/v1/chat/completions", f"Bearer {TOKEN}", "a__x-1", "m")
        assert not {"temperature", "top_p", "seed", "max_tokens"} & set(asked), asked
    for path in place.rglob("*"):
        assert not path.is_file() or TOKEN not in path.read_text(), path
    [item] = step.items
    print(f"the agent made a patch of {len(made['patch'])} bytes in 3 requests; the harness: {item.reason or 'graded'}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(pathlib.Path(folder))
