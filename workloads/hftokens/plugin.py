"""Counts tokens by a model's own tokenizer and chat template, by the rule of MLPerf Endpoints' reference client."""

from __future__ import annotations

import files
from progress import Progress

import paceline
from paceline import Capability, Need, Unit

_DATE = {"type": "string", "default": files.DATE, "description": "what a template takes for today, as YYYY-MM-DD"}
_VERSIONS = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "versions that must be installed, by package, e.g. tokenizers; so that they stand in the report",
}


def _schema(**properties):
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


class _Base(paceline.Counter):
    unit = Unit.TURN
    needs = (Need.ANSWER, Need.HISTORY, Need.APPENDED, Need.TOOLS, Need.PARAMS, Need.CHUNKS)
    capabilities = (Capability.INPUTS,)

    def __init__(self, opening):
        super().__init__(opening)
        self._progress = Progress(opening.log)

    def count(self, samples):
        return self._progress.seen(self._rule.count(samples))


class Count(_Base):
    name = "count"
    summary = "tokens by a tokenizer.json and a Jinja chat template"
    inputs = ("tokenizer", "config", "template", "special")
    config_schema = _schema(
        date=_DATE,
        versions=_VERSIONS,
        without_template={"type": "boolean", "default": False, "description": "the model has no chat template; count plain text"},
    )

    def __init__(self, opening):
        super().__init__(opening)
        settings = opening.settings("date", "versions", "without_template")
        date = files.date(settings.get("date", files.DATE))
        files.needs("tokenizers", "jinja2")
        files.hold(settings.get("versions", {}), ("tokenizers", "jinja2"))
        import plain  # not before it is known that the packages are there
        from rule import Rule

        model = plain.open_model(opening, date, without_template=files.flag(settings, "without_template"))
        self._rule = Rule(model, opening.log)


class CountCode(_Base):
    name = "count-code"
    summary = "tokens by transformers, for models whose tokenizer or chat template is code of their own"
    inputs = ("model",)
    config_schema = _schema(
        versions=_VERSIONS,
        trust_code={"type": "boolean", "default": False, "description": "run the Python code in the model's archive"},
    )

    def __init__(self, opening):
        super().__init__(opening)
        settings = opening.settings("versions", "trust_code")
        files.needs("transformers")
        files.hold(settings.get("versions", {}), ("transformers", "tokenizers", "tiktoken", "jinja2"))
        from owncode import OwnCode
        from rule import Rule

        model = OwnCode(opening.input("model").open(), trust=files.flag(settings, "trust_code"))
        self._rule = Rule(model, opening.log)


plugin = paceline.Plugin(name="hftokens", version="0.1.0", components=[Count, CountCode])

if __name__ == "__main__":
    paceline.serve(plugin)
