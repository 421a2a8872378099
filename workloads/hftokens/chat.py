"""A model's chat template, rendered as its publisher's library does it: Jinja in a sandbox, with that library's extras."""

from __future__ import annotations

import datetime
import functools
import json
from typing import Any

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_KEPT = 16
"""How many templates that came with requests are kept compiled."""


class Generation(Extension):
    """The block {% generation %}, which marks what the model wrote: it renders as its body, in a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        """See Extension."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def environment(date: datetime.datetime) -> ImmutableSandboxedEnvironment:
    """What templates are compiled in. date is what they take for now, so that equal requests have equal texts."""
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = _tojson
    env.globals["raise_exception"] = _raise
    env.globals["strftime_now"] = date.strftime
    return env


def _tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message):
    raise TemplateError(message)


class Templates:
    """The templates of one model: one, or several by name, of which tool_use is for requests with tools."""

    def __init__(self, texts: dict[str, str], special: dict[str, Any], date: datetime.datetime) -> None:
        self._special = special
        env = environment(date)
        self._compile = functools.lru_cache(MAX_KEPT)(env.from_string)
        self._named = {name: env.from_string(text) for name, text in texts.items()}

    def render(
        self, messages: list[dict], *, tools: list | None = None, generation: bool, options: dict, own: str | None = None
    ) -> str:
        """The text of a conversation. Raises whatever the template raises."""
        if not messages:
            raise ValueError("a conversation without messages")
        if not self._named and own is None:
            raise ValueError("the model has no chat template")
        values = {**self._special, **options, "messages": messages, "tools": tools, "add_generation_prompt": generation}
        return self._choose(tools, own).render(**{"documents": None, **values})

    def _choose(self, tools: list | None, own: str | None):
        if own is not None:
            return self._compile(own)
        if tools is not None and "tool_use" in self._named:
            return self._named["tool_use"]
        if "default" not in self._named:
            raise ValueError(f"the model has no template named default, only {', '.join(sorted(self._named))}")
        return self._named["default"]
