"""Writes the spans of a small agent with OpenTelemetry's SDK, in the SDK's console JSON and in OTLP/JSON. Usage:
python write.py CONSOLE_FILE OTLP_FILE, where opentelemetry-sdk and opentelemetry-exporter-otlp-proto-common are installed;
.ci/import-real does it. Ids and times are made up, so the files are the same each time."""

import json
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as g
from opentelemetry.trace import set_span_in_context

START = 1_767_322_800_000_000_000


class Ids(IdGenerator):
    def __init__(self):
        self.next = 0

    def generate_span_id(self):
        self.next += 1
        return 0xA000000000000000 + self.next

    def generate_trace_id(self):
        self.next += 1
        return 0xB0000000000000000000000000000000 + self.next


exporter = InMemorySpanExporter()
provider = TracerProvider(resource=Resource({"service.name": "made-up"}), id_generator=Ids())
provider.add_span_processor(SimpleSpanProcessor(exporter))
tracer = provider.get_tracer("made-up")
text = lambda role, s: {"role": role, "parts": [{"type": "text", "content": s}]}
TOOLS = [{"type": "function", "name": "ls", "description": "lists files", "parameters": {"type": "object"}}]


def at(ms):
    return START + ms * 1_000_000


def chat(parent, begin, end, sent, got, used):
    span = tracer.start_span("chat m-1", context=parent, start_time=at(begin))
    span.set_attribute(g.GEN_AI_OPERATION_NAME, "chat")
    span.set_attribute(g.GEN_AI_PROVIDER_NAME, "made-up")
    span.set_attribute(g.GEN_AI_REQUEST_MODEL, "m-1")
    span.set_attribute(g.GEN_AI_REQUEST_TEMPERATURE, 0.5)
    span.set_attribute(g.GEN_AI_REQUEST_MAX_TOKENS, 200)
    span.set_attribute(g.GEN_AI_REQUEST_STOP_SEQUENCES, ["END"])
    span.set_attribute(g.GEN_AI_SYSTEM_INSTRUCTIONS, json.dumps([{"type": "text", "content": "You list files."}]))
    span.set_attribute(g.GEN_AI_TOOL_DEFINITIONS, json.dumps(TOOLS))
    span.set_attribute(g.GEN_AI_INPUT_MESSAGES, json.dumps(sent))
    span.set_attribute(g.GEN_AI_OUTPUT_MESSAGES, json.dumps([got | {"finish_reason": "stop"}]))
    span.set_attribute(g.GEN_AI_USAGE_INPUT_TOKENS, used[0])
    span.set_attribute(g.GEN_AI_USAGE_OUTPUT_TOKENS, used[1])
    span.set_attribute(g.GEN_AI_RESPONSE_FINISH_REASONS, ["stop"])
    span.end(end_time=at(end))


def agent(begin, question):
    root = tracer.start_span("invoke_agent lister", start_time=at(begin))
    root.set_attribute(g.GEN_AI_OPERATION_NAME, "invoke_agent")
    parent = set_span_in_context(root)
    call = {"role": "assistant", "parts": [
        {"type": "reasoning", "content": "I should look."},
        {"type": "tool_call", "id": "c1", "name": "ls", "arguments": {"path": "."}}]}
    result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "a.txt"}]}
    history = [text("user", question)]
    yield chat(parent, begin + 10, begin + 500, history, call, (40, 12))
    tool = tracer.start_span("execute_tool ls", context=parent, start_time=at(begin + 510))
    tool.set_attribute(g.GEN_AI_OPERATION_NAME, "execute_tool")
    tool.set_attribute(g.GEN_AI_TOOL_NAME, "ls")
    tool.end(end_time=at(begin + 700))
    yield chat(parent, begin + 750, begin + 1000, history + [call, result], text("assistant", "One file."), (60, 4))
    root.end(end_time=at(begin + 1001))
    yield None


# Two agents take turns, so their traces are interleaved; spans are written as they end.
for _ in zip(agent(0, "What is here?"), agent(100, "And there?")):
    pass
spans = exporter.get_finished_spans()
with open(sys.argv[1], "w") as f:
    for span in spans:
        f.write(span.to_json() + "\n")
otlp = MessageToDict(encode_spans(spans))
with open(sys.argv[2], "w") as f:
    f.write(json.dumps(otlp) + "\n")
