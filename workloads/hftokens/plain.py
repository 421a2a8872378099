"""A model whose tokenizer is a tokenizer.json and whose chat template is Jinja: what most publish."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import files
import prompts
from chat import Templates
from jinja2 import TemplateSyntaxError
from lengths import Lengths

from paceline import Opening, fault


class Plain:
    """Such a model; see rule.Model."""

    def __init__(self, lengths: Lengths, templates: Templates) -> None:
        self._lengths = lengths
        self._templates = templates

    def chat(self, prompt: prompts.Prompt, *, generation: bool) -> str:
        """See rule.Model."""
        return self._templates.render(
            prompt.messages, tools=prompt.tools, generation=generation, options=prompt.options, own=prompt.template
        )

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """See rule.Model."""
        return self._lengths.of(texts)


def open_model(opening: Opening, date: datetime.datetime, *, without_template: bool) -> Plain:
    """The model of an opening's inputs. Raises Faults."""
    lengths = _lengths(opening)
    if not lengths.cached:
        opening.log.info("this tokenizer may not be cut at its added tokens: each history is counted whole, which is slower")
    config = files.document(opening, "config")
    file = files.read(opening, "template")
    texts = {} if without_template else files.templates(config, file)
    if not texts and not without_template:
        expected = "chat_template.jinja as template, a tokenizer_config.json that has one as config, or without_template: true"
        raise fault("missing-template", "the model has no chat template", input="template", expected=expected)
    try:
        return Plain(lengths, Templates(texts, files.special(config, files.document(opening, "special")), date))
    except TemplateSyntaxError as e:
        where = "config" if file is None else "template"
        raise fault("bad-template", str(e), input=where, line=e.lineno, expected="a Jinja template") from e


def _lengths(opening: Opening) -> Lengths:
    opening.input("tokenizer")
    try:
        return Lengths(files.read(opening, "tokenizer") or b"")
    except Exception as e:  # the library raises nothing more special
        raise fault("bad-tokenizer", str(e), input="tokenizer", expected="a tokenizer.json") from e
