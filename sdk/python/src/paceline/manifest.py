"""A plugin's manifest (schemas/manifest/v1), as far as its definition tells it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from typing import IO, Any

from . import contract
from .contract import Capability, Kind
from .plugin import Component, Plugin

SCHEMA = "paceline/manifest/v1"


def this_platform() -> str:
    """Operating system and processor as manifests name them, e.g. linux/amd64."""
    machine = platform.machine().lower()
    names = {"x86_64": "amd64", "aarch64": "arm64"}
    return f"{platform.system().lower()}/{names.get(machine, machine)}"


def make(plugin: Plugin, *, license: str, file: str, code: bytes, platforms: Sequence[str]) -> dict[str, Any]:
    """The manifest of a plugin whose executable is the same file on all these platforms."""
    digest = hashlib.sha256(code).hexdigest()
    return {
        "schema": SCHEMA,
        "name": plugin.name,
        "version": plugin.version,
        "contract": contract.VERSION,
        "license": license,
        "components": [_component(c) for c in plugin.components],
        "native": [
            {"os": p.split("/")[0], "arch": p.split("/")[1], "file": file, "size": len(code), "sha256": digest}
            for p in sorted(platforms)
        ],
    }


def _component(c: type[Component]) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": Kind(c.KIND).name.lower(), "name": c.name}
    if c.summary:
        out["summary"] = c.summary
    out["purity"] = "native"
    if c.capabilities:
        out["capabilities"] = sorted({Capability(x).name.lower() for x in c.capabilities})
    if c.inputs:
        out["inputs"] = list(c.inputs)
    return out


def encode(manifest: dict[str, Any]) -> str:
    """The manifest as text."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def main(plugin: Plugin, args: Sequence[str], out: IO[str]) -> None:
    """Writes the manifest with this file for this platform; the argument is the license."""
    if len(args) != 1 or not args[0]:
        sys.exit("usage: manifest LICENSE, e.g. manifest Apache-2.0")
    path = os.path.abspath(sys.argv[0])
    with open(path, "rb") as f:
        code = f.read()
    made = make(plugin, license=args[0], file=os.path.basename(path), code=code, platforms=[this_platform()])
    out.write(encode(made))
