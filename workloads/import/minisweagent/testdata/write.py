"""Writes a trajectory with mini-swe-agent itself: its agent, its local environment, and its model for tests, which answers
from a list. Usage: python write.py FILE, where mini-swe-agent is installed; .ci/import-real does it."""

import os
import pathlib
import sys
import time

os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicToolcallModel, make_toolcall_output


def answer(number, text, command):
    call = f"call_{number}"
    message = make_toolcall_output(
        text,
        [{"id": call, "type": "function", "function": {"name": "bash", "arguments": '{"command": "%s"}' % command}}],
        [{"command": command, "tool_call_id": call}],
    )
    message["extra"]["response"] = {"usage": {"prompt_tokens": 100 * number, "completion_tokens": 10 + number}}
    return message


class Model(DeterministicToolcallModel):
    def query(self, messages, **kwargs):
        time.sleep(0.01)
        output = super().query(messages, **kwargs)
        output["extra"]["timestamp"] = time.time()  # the helpers of the package stamp when they are made
        return output


outputs = [
    answer(1, "I look around first.", "printf 'a.txt\\nb.txt\\n'"),
    answer(2, None, "sleep 0.05; echo 42"),
    answer(3, "Done.", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
]
agent = DefaultAgent(
    Model(outputs=outputs),
    LocalEnvironment(cwd="/"),
    system_template="You are a helpful assistant with a shell.",
    instance_template="Please solve this: {{task}}",
    output_path=pathlib.Path(sys.argv[1]),
)
agent.run("count the files")
