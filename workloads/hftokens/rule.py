"""How MLPerf Endpoints' reference client counts the tokens of a turn.

Input: the chat template over all messages, tools and options of the request, with the prompt for an answer at its end.
Output: of an answer that is text alone, the tokens of the text. Of one with reasoning or tool calls, the template over an
empty question and that answer, less the same with an empty answer, and never below 0. After the first chunk: the same of
what the first chunk left over.  Where the template raises, the text that would have gone in is counted, and the turn's
reason says so.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any, Protocol

import answers
import prompts

from paceline import Sample, TokenCount

_ASKED = {"role": "user", "content": ""}  # templates refuse a conversation that begins with an answer

Text = str | int
"""A text to be counted, or its number of tokens where a model tells no text."""


class Model(Protocol):
    """A tokenizer with its chat template."""

    def chat(self, prompt: prompts.Prompt, *, generation: bool) -> Text:
        """The text of a conversation. Raises whatever the template raises."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""


class Rule:
    """Counts by one model."""

    def __init__(self, model: Model, log: logging.Logger) -> None:
        self._model = model
        self._log = log
        self._warned: set[str] = set()
        self._frame = self._empty()  # tokens of an empty question and an empty answer

    def count(self, samples: Sequence[Sample]) -> list[TokenCount]:
        """The counts of some turns, in order."""
        turns = [_Turn() for _ in samples]
        for s, turn in zip(samples, turns, strict=True):
            self._input(s, turn)
            self._output(s, turn)
        lengths = iter(self._model.lengths([f[1] for t in turns for f in t.figures if isinstance(f[1], str)]))
        return [t.told(lengths) for t in turns]

    def _input(self, s: Sample, turn: _Turn) -> None:
        if s.outcome == "not_sent":
            turn.reasons.append("not sent")
            return
        prompt = prompts.of(s)
        if prompt is None:
            turn.reasons.append("no history")
            return
        try:
            turn.add("input", self._model.chat(prompt, generation=True))
        except Exception as e:  # a template may raise anything
            whole: dict[str, Any] = {"messages": prompt.messages}
            if prompt.tools is not None:
                whole["tools"] = prompt.tools
            turn.add("input", _compact(whole))
            turn.reasons.append(self._fallback("input", e))

    def _output(self, s: Sample, turn: _Turn) -> None:
        raw = s.answer.message if s.HasField("answer") else b""
        answer = answers.parse(raw, streamed=len(s.chunks) > 0) if raw else None
        if answer is None or answer.empty:
            if s.outcome != "not_sent":
                turn.reasons.append("no answer")
            return
        self._answer("output", answer, answer.plain, turn)
        cut = answers.split(answer, s.chunks)
        if cut is None:
            return
        first, rest = cut
        turn.add("first_chunk", first)
        self._answer("after_first_chunk", rest, answer.plain, turn)

    def _answer(self, name: str, answer: answers.Answer, plain: bool, turn: _Turn) -> None:
        if plain:
            turn.add(name, answer.content)
            return
        try:
            turn.add(name, self._framed(answer), less=self._frame)
        except Exception as e:  # as above
            parts = [answer.content, answer.reasoning, _compact(answer.calls) if answer.calls else ""]
            turn.add(name, "\n".join(p for p in parts if p))
            turn.reasons.append(self._fallback(name, e))

    def _framed(self, answer: answers.Answer) -> Text:
        message: dict[str, Any] = {"role": "assistant", "content": answer.content}
        if answer.reasoning:
            message["reasoning_content"] = answer.reasoning
        if answer.calls:
            message["tool_calls"] = prompts.parsed(answer.calls)
        return self._model.chat(prompts.Prompt([_ASKED, message]), generation=False)

    def _empty(self) -> int:
        try:
            text = self._framed(answers.Answer())
        except Exception as e:  # as above; the answers themselves may pass
            self._log.warning("the template refuses an empty answer, so counts of answers include its frame: %s", e)
            return 0
        return text if isinstance(text, int) else self._model.lengths([text])[0]

    def _fallback(self, name: str, e: Exception) -> str:
        kind = type(e).__name__
        if kind not in self._warned:
            self._warned.add(kind)
            self._log.warning("the template raised %s, so such turns are counted as plain text: %s", kind, e)
        return f"{name} counted as plain text: the template raised {kind}"


class _Turn:
    """What is to be counted of one turn."""

    def __init__(self) -> None:
        self.figures: list[tuple[str, Text, int]] = []  # name, text, and what is taken off
        self.reasons: list[str] = []

    def add(self, name: str, text: Text, *, less: int = 0) -> None:
        self.figures.append((name, text, less))

    def told(self, lengths) -> TokenCount:
        """The counts; lengths gives those of the texts in order."""
        numbers = {name: max(0, (next(lengths) if isinstance(text, str) else text) - less) for name, text, less in self.figures}
        return TokenCount(**numbers, reason="; ".join(self.reasons))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
