"""What the target answered, and what of it came after the first chunk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from paceline import Channel, Chunk


@dataclass(frozen=True)
class Answer:
    """An assistant message as the chat template takes it: texts that did not come are empty."""

    content: str = ""
    reasoning: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing came that could be counted."""
        return not (self.content or self.reasoning or self.calls)

    @property
    def plain(self) -> bool:
        """Whether it is text alone, which the rule counts without the template."""
        return not (self.reasoning or self.calls)


def parse(raw: bytes, *, streamed: bool) -> Answer | None:
    """The answer in an assistant message; None where it is no JSON object.

    Calls that came in a stream get the members and their order that the reference gives calls which it puts together of
    pieces, since templates may write a whole call as JSON.
    """
    message = load(raw, dict)
    if message is None:
        return None
    calls = message.get("tool_calls")
    calls = [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []
    return Answer(
        content=_text(message.get("content")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        calls=[_joined(c) for c in calls] if streamed else calls,
    )


def split(answer: Answer, chunks: Iterable[Chunk]) -> tuple[str, Answer] | None:
    """The text of the first chunk, and the answer without it.

    The first chunk is one of reasoning where the answer has reasoning, else one of content where it has content, else the
    first piece of a tool call. None where the stream told no such chunk, or one that does not fit the answer.
    """
    if answer.reasoning:
        cut = _cut(answer.reasoning, _bytes(chunks, Channel.REASONING))
        return cut and (cut[0], Answer(answer.content, cut[1], answer.calls))
    if answer.content:
        cut = _cut(answer.content, _bytes(chunks, Channel.CONTENT))
        return cut and (cut[0], Answer(cut[1], "", answer.calls))
    return _cut_calls(answer.calls, _bytes(chunks, Channel.TOOL))


def _bytes(chunks: Iterable[Chunk], channel: Channel) -> int:
    return next((c.bytes for c in chunks if c.channel == channel and c.bytes > 0), 0)


def _cut(text: str, size: int) -> tuple[str, str] | None:
    """The text before and after so many bytes of it."""
    raw = text.encode("utf-8", "replace")
    if not 0 < size <= len(raw):
        return None
    return raw[:size].decode("utf-8", "replace"), raw[size:].decode("utf-8", "replace")


def _cut_calls(calls: list[dict[str, Any]], size: int) -> tuple[str, Answer] | None:
    """Takes the bytes of the first piece off the calls: names and arguments in order. A name comes whole.

    A call that came whole is gone; one whose name came is the rest of its arguments, without name and id.
    """
    if size <= 0:
        return None
    first, rest = [], []
    for call in calls:
        function = call.get("function") if isinstance(call.get("function"), dict) else {}
        name, arguments = (_text(function.get(k)).encode("utf-8", "replace") for k in ("name", "arguments"))
        if size == 0:
            rest.append(call)
            continue
        if size < len(name):
            return None
        taken = min(size - len(name), len(arguments))
        size -= len(name) + taken
        first.append((name + arguments[:taken]).decode("utf-8", "replace"))
        if taken < len(arguments):
            left = arguments[taken:].decode("utf-8", "replace")
            rest.append({"type": call.get("type", "function"), "function": {"arguments": left}})
    return ("".join(first), Answer(calls=rest)) if size == 0 else None


def _joined(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") if isinstance(call.get("function"), dict) else {}
    whole = {"type": call.get("type", "function"), "function": {k: function[k] for k in ("arguments", "name") if k in function}}
    return {**whole, "id": call["id"]} if call.get("id") else whole


def _text(value: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def load(raw: bytes, kind: type) -> Any:
    """A JSON document of that kind; None where it is something else. Bytes that are no UTF-8 are replaced."""
    try:
        made = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return made if isinstance(made, kind) else None
