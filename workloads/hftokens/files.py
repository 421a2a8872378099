"""The files of a model's tokenizer, as they are published beside its weights."""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import json
import sys
from typing import Any

from paceline import Opening, fault

MAX_FILE = 256 << 20
"""The most bytes of one file."""

DATE = "2026-01-01"
"""What templates take for today unless the configuration says another day."""

_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def read(opening: Opening, name: str) -> bytes | None:
    """An input whole; None where the run gives none of that name."""
    for given in opening.inputs:
        if given.name != name:
            continue
        if given.size > MAX_FILE:
            raise fault("large-input", f"{given.size} bytes are above the limit", input=name, expected=f"at most {MAX_FILE}")
        return given.read_at(0, given.size)
    return None


def document(opening: Opening, name: str) -> dict[str, Any]:
    """An input that is a JSON object; an empty one where the run gives none."""
    raw = read(opening, name)
    if raw is None:
        return {}
    try:
        made = json.loads(raw)
    except (ValueError, RecursionError) as e:
        raise fault("bad-json", f"no JSON: {e}", input=name, expected="a JSON object") from e
    if not isinstance(made, dict):
        raise fault("bad-type", "not a JSON object", input=name, expected="a JSON object")
    return made


def special(*sources: dict[str, Any]) -> dict[str, str]:
    """The special tokens that templates may name; of several files the first that has one."""
    found = {}
    for name in _SPECIAL:
        told = (_content(s.get(name)) for s in sources)
        text = next((t for t in told if t is not None), None)
        if text is not None:
            found[name] = text
    return found


def _content(token: Any) -> str | None:
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else None


def templates(config: dict[str, Any], file: bytes | None) -> dict[str, str]:
    """The chat templates by name: of chat_template.jinja where there is one, else of tokenizer_config.json."""
    if file is not None:
        return {"default": file.decode("utf-8", "replace")}
    told = config.get("chat_template")
    if isinstance(told, str):
        return {"default": told}
    if isinstance(told, dict):
        return {name: text for name, text in told.items() if isinstance(text, str)}
    if isinstance(told, list):
        named = (t for t in told if isinstance(t, dict))
        return {t["name"]: t["template"] for t in named if isinstance(t.get("name"), str) and isinstance(t.get("template"), str)}
    return {}


def flag(settings: dict[str, Any], name: str) -> bool:
    """A switch of the configuration; off where it is not there."""
    told = settings.get(name, False)
    if not isinstance(told, bool):
        raise fault("bad-type", "not a boolean", pointer=f"/{name}", expected="true or false")
    return told


def date(text: str) -> datetime.datetime:
    """The day of the configuration."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%d")
    except (TypeError, ValueError) as e:
        raise fault("bad-date", f"{text!r} is no day", pointer="/date", expected="YYYY-MM-DD") from e


def hold(versions: Any, packages: tuple[str, ...]) -> None:
    """Holds the packages that count to the versions of the configuration."""
    if not isinstance(versions, dict):
        raise fault("bad-type", "not an object", pointer="/versions", expected="an object of versions by package")
    here = {}
    for name in packages:
        try:
            here[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    for name, wanted in versions.items():
        if here.get(name) != wanted:
            found = here.get(name, "none")
            raise fault("other-version", f"{name} {found} is installed", pointer=f"/versions/{name}", expected=f"{name} {wanted}")


def needs(*packages: str) -> None:
    """Says which package is missing before anything imports it."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            expected = f"{package} for {sys.executable}, whose plugin this is"
            raise fault("missing-package", f"{package} is missing", expected=expected)
