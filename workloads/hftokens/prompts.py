"""A request as the chat template takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from answers import load

from paceline import Sample


@dataclass(frozen=True)
class Prompt:
    """Everything that shapes the text before the answer."""

    messages: list[dict[str, Any]]
    tools: list[Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """chat_template_kwargs, and tool_choice where the request has one."""
    template: str | None = None
    """A template of the request's own."""


def of(s: Sample) -> Prompt | None:
    """The request of a sample, salted as it was sent; None where its history is not known."""
    parts = [load(raw, list) for raw in (s.history, s.appended)]
    if None in parts:
        return None
    messages = [m for part in parts for m in part if isinstance(m, dict)]
    params = load(s.params, dict) or {} if s.params else {}
    options = params.get("chat_template_kwargs")
    options = dict(options) if isinstance(options, dict) else {}
    if params.get("tool_choice") is not None:
        options["tool_choice"] = params["tool_choice"]
    template = params.get("chat_template")
    return Prompt(
        messages=[message(m) for m in messages],
        tools=load(s.tools, list) if s.tools else None,
        options=options,
        template=template if isinstance(template, str) else None,
    )


def message(m: dict[str, Any]) -> dict[str, Any]:
    """A message of the history with the arguments of its calls parsed.

    A call without content has none on the wire; the reference's template sees it as null, and some templates write that.
    """
    calls = m.get("tool_calls")
    if not isinstance(calls, list) or not calls:
        return m
    return {**m, "tool_calls": parsed(calls), "content": m.get("content")}


def parsed(calls: list[Any]) -> list[Any]:
    """The calls, with arguments that are the JSON text of an object made that object. Others stay as they are."""
    return [_parsed(c) for c in calls]


def _parsed(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(arguments, str):
        return call
    made = load(arguments.encode("utf-8", "surrogatepass"), dict)
    return call if made is None else {**call, "function": {**function, "arguments": made}}
