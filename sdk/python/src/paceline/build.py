"""Makes the one file that a runner starts, with its manifest beside it: `python -m paceline.build DIR -o plugin.pyz`.

The file is a Python zip application: a first line that names the interpreter, then the plugin's own files and this SDK.
The same files give the same bytes on every machine. grpcio, protobuf and whatever else the plugin imports stay in the
environment of that interpreter, and the file's digest does not cover them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import archive, manifest
from .archive import Fault

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a runner lets a plugin find programs."""

MAX_FILE = 256 << 20
"""The most bytes of a plugin's file that a runner loads."""

_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*\Z")
_OWN = ("schema", "name", "version", "contract", "summary", "license", "authors", "source", "components", "presets", "native")


def this_python() -> str:
    """The interpreter that builds, by one name however it was called."""
    path = os.path.join(sys.prefix, "bin", "python3")
    return path if os.access(path, os.X_OK) else sys.executable


def is_here(python: str) -> bool:
    """Whether the interpreter of that name can be tried on this machine."""
    return python == "env" or os.access(python, os.X_OK)


def own_manifest(folder: Path) -> dict[str, Any]:
    """manifest.json in the plugin's folder; an empty one where there is none."""
    path = folder / "manifest.json"
    if not path.exists():
        return {}
    try:
        own = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as e:
        raise Fault(f"{path}: no JSON: {e}") from e
    if not isinstance(own, dict):
        raise Fault(f"{path}: not a JSON object")
    unknown = sorted(set(own) - set(_OWN))
    if unknown:
        raise Fault(f"{path}: unknown key {unknown[0]!r}; known are {', '.join(_OWN)}")
    return own


def join(own: dict[str, Any], said: dict[str, Any], path: Path) -> dict[str, Any]:
    """The whole manifest: what the definition says, and what only the author's file can say. Both must agree."""
    for key in ("schema", "name", "version", "contract"):
        if key in own and own[key] != said[key]:
            raise Fault(f"{path}: {key} is {own[key]!r}, and the plugin says {said[key]!r}")
    if "components" in own and _identity(own["components"]) != _identity(said["components"]):
        raise Fault(f"{path}: components differ from those that the plugin has; leave them out, the builder fills them in")
    told = ("summary", "license", "authors", "source", "presets")
    whole: dict[str, Any] = {**said, **{k: own[k] for k in told if k in own}}
    return {k: whole[k] for k in _OWN if k in whole}


def _identity(components: Any) -> Any:
    """What the host compares with the plugin's own description."""
    if not isinstance(components, list):
        return components
    keys = ("kind", "name", "purity", "capabilities", "inputs")
    return [[c.get(k) or None for k in keys] if isinstance(c, dict) else c for c in components]


def describe(code: bytes, name: str, license: str, *, python: str) -> dict[str, Any]:
    """Starts the file as a runner would, with the variables that a runner gives, and reads its manifest."""
    with tempfile.TemporaryDirectory(prefix="pl") as folder:
        path = Path(folder, name)
        path.write_bytes(code)
        path.chmod(0o500)
        program = [str(path)] if is_here(python) else [sys.executable, str(path)]
        env = {"PATH": SEARCH_PATH, "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"}
        try:
            done = subprocess.run([*program, "manifest", license], env=env, cwd=folder, capture_output=True, timeout=120)
        except OSError as e:
            raise Fault(f"the made file does not start: {e}") from e
        except subprocess.TimeoutExpired as e:
            raise Fault("the made file did not print its manifest within 120 s: does it start work when it is imported?") from e
    if done.returncode != 0:
        text = done.stderr.decode("utf-8", "replace").strip()
        raise Fault(f"the made file does not start with {python}: {text[-2000:]}")
    return json.loads(done.stdout)


def build(folder: Path, out: Path, *, python: str, entry: str, license: str, platforms: Sequence[str]) -> dict[str, Any]:
    """Makes out and out.manifest.json from a plugin's folder and returns the manifest. Raises Fault."""
    if not folder.is_dir():
        raise Fault(f"{folder}: no folder")
    if not _ENTRY.match(entry):
        raise Fault(f"--entry {entry!r}: wanted is module:name")
    own = own_manifest(folder)
    license = license or own.get("license", "")
    if not isinstance(license, str) or not license:
        raise Fault(f"{folder}: no license; put it into manifest.json, or name it with --license")
    code = archive.whole(folder, python=python, entry=entry)
    if len(code) > MAX_FILE:
        raise Fault(f"{folder}: the plugin has {len(code)} bytes, and {MAX_FILE} are allowed")
    said = describe(code, out.name, license, python=python)
    platforms = platforms or [manifest.this_platform()]
    one = said["native"][0]
    said["native"] = [{**one, "os": p.split("/")[0], "arch": p.split("/")[1]} for p in sorted(set(platforms))]
    whole = join(own, said, folder / "manifest.json")
    write(out, code, 0o755)
    write(out.with_name(out.name + ".manifest.json"), manifest.encode(whole).encode(), 0o644)
    return whole


def write(path: Path, data: bytes, mode: int) -> None:
    """Writes a file whole: it is there with all its bytes, or as it was before."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".paceline-")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _platform(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+/[a-z0-9]+", text):
        raise argparse.ArgumentTypeError(f"{text!r}: wanted is os/arch, e.g. linux/amd64")
    return text


def main(args: Sequence[str] | None = None) -> None:
    """The command line."""
    p = argparse.ArgumentParser(
        prog="paceline-plugin",
        description="Makes a native plugin of a folder with plugin.py.",
        epilog="example: python -m paceline.build sdk/python/examples/echo -o echo.pyz",
    )
    p.add_argument("dir", type=Path, help="folder of the plugin")
    p.add_argument("-o", "--out", type=Path, required=True, help="file to write; its manifest goes beside it")
    p.add_argument(
        "--python", default=this_python(), help="interpreter that runs it: an absolute path, or env (default: %(default)s)"
    )
    p.add_argument(
        "--entry", default="plugin:plugin", metavar="MODULE:NAME", help="the paceline.Plugin to serve (default: %(default)s)"
    )
    p.add_argument("--license", default="", help="SPDX expression; default: the one in manifest.json")
    p.add_argument(
        "--platform",
        action="append",
        default=[],
        type=_platform,
        metavar="OS/ARCH",
        help="where the file may run, may be given again (default: here)",
    )
    p.add_argument("--json", action="store_true", help="print the result as JSON")
    given = p.parse_args(args)
    try:
        made = build(
            given.dir, given.out, python=given.python, entry=given.entry, license=given.license, platforms=given.platform
        )
    except (Fault, OSError) as e:
        sys.exit(f"paceline-plugin: {e}")
    one = made["native"][0]
    if given.json:
        print(json.dumps({"file": str(given.out), "size": one["size"], "sha256": one["sha256"], "python": given.python}))
        return
    print(f"{given.out}: {made['name']} {made['version']}, {one['size']} bytes, sha256 {one['sha256']}")
    print(f"started by {given.python}; its packages, grpcio and protobuf too, are not in the digest")
    if not is_here(given.python):
        print(f"{given.python} is not on this machine: the file was tried with {sys.executable}")


if __name__ == "__main__":
    main()
