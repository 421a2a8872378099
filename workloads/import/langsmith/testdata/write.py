"""Writes runs with LangSmith's and LangChain's own classes: an agent's run by a fake model, as LangChain's tracer keeps it.
Usage: python write.py FILE, where langchain-core and langsmith are installed. Ids and times differ each time."""

import json
import sys

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.base import BaseTracer
from langsmith.schemas import Run

call = {"name": "weather", "args": {"city": "Bern"}, "id": "call_1", "type": "tool_call"}
answers = [
    AIMessage("", tool_calls=[call], usage_metadata={"input_tokens": 20, "output_tokens": 8, "total_tokens": 28}),
    AIMessage("14 degrees.", usage_metadata={"input_tokens": 40, "output_tokens": 4, "total_tokens": 44}),
]
chat = FakeMessagesListChatModel(responses=answers)
roots = []


class Keep(BaseTracer):
    def _persist_run(self, run):
        roots.append(run)


def agent(question):
    messages = [SystemMessage("You look things up."), HumanMessage(question)]
    for _ in answers:
        answer = chat.invoke(messages)
        messages.append(answer)
        messages += [ToolMessage("14 degrees", tool_call_id=c["id"]) for c in answer.tool_calls]
    return answer.content


RunnableLambda(agent).invoke("Weather in Bern?", config={"callbacks": [Keep(_schema_format="original+chat")]})


def walk(run):
    yield run
    for child in run.child_runs:
        yield from walk(child)


with open(sys.argv[1], "w", encoding="utf-8") as out:
    for run in (r for root in roots for r in walk(root)):
        kept = {k: getattr(run, k) for k in (
            "id", "trace_id", "parent_run_id", "dotted_order", "name", "run_type", "start_time", "end_time", "inputs", "outputs", "extra")}
        out.write(Run(**kept).model_dump_json(exclude_none=True) if hasattr(Run, "model_dump_json") else Run(**kept).json(exclude_none=True))
        out.write("\n")
