"""Makes the one file that a runner starts, with its manifest beside it: `python -m paceline.build DIR -o plugin.pyz`.

The file is a Python zip application: a first line that names the interpreter, then the plugin's own files and this SDK.
The same files give the same bytes on every machine. grpcio, protobuf and whatever else the plugin imports stay in the
environment of that interpreter, and the file's digest does not cover them.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import manifest

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a runner lets a plugin find programs."""

MAX_SHEBANG = 127
"""The most bytes of the first line that every system reads."""

MAX_FILE = 256 << 20
"""The most bytes of a plugin's file that a runner loads."""

_LEFT_OUT = frozenset({"testing.py", "build.py", "__main__.py"})  # of this SDK: a running plugin does not need them
_MAIN = """from paceline.server import run

run({entry!r})
"""
_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*\Z")
_OWN = ("schema", "name", "version", "contract", "summary", "license", "authors", "source", "components", "presets", "native")


class Fault(Exception):
    """Why no plugin could be made; the text names the file and what to do."""


def shebang(python: str) -> bytes:
    """The first line. python is the absolute path of an interpreter, or `env` for the python3 of the search path."""
    if python == "env":
        python = "/usr/bin/env python3"
    elif not python.startswith("/") or re.search(r"\s", python):
        raise Fault(f"--python {python!r}: wanted is an absolute path without spaces, or env")
    line = f"#!{python}\n".encode()
    if len(line) > MAX_SHEBANG:
        raise Fault(f"--python {python}: the first line of the file may have {MAX_SHEBANG} bytes; use a shorter path")
    return line


def this_python() -> str:
    """The interpreter that builds, by one name however it was called."""
    path = os.path.join(sys.prefix, "bin", "python3")
    return path if os.access(path, os.X_OK) else sys.executable


def sources(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The plugin's files by their names in the archive: all but hidden ones, caches and tests. Links are refused."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if any(p.startswith(".") or p in ("__pycache__", "tests") or p.endswith((".egg-info", ".pyc", ".pyz")) for p in parts):
            continue
        if path.is_symlink():
            raise Fault(f"{path}: links are not followed; put the file there")
        if path.is_dir() or re.fullmatch(r"test_.*\.py|.*_test\.py|.*\.manifest\.json|manifest\.json", path.name):
            continue
        if parts[0] in ("paceline", "paceline.py", "__main__.py"):
            raise Fault(f"{path}: this name is the SDK's own")
        yield "/".join(parts), path.read_bytes()


def sdk() -> Iterator[tuple[str, bytes]]:
    """This SDK's files."""
    folder = Path(__file__).parent
    for path in sorted(folder.glob("*.py")):
        if path.name not in _LEFT_OUT:
            yield f"paceline/{path.name}", path.read_bytes()


def archive(first: bytes, files: dict[str, bytes]) -> bytes:
    """The zip application: sorted, without times, not compressed, so that its bytes depend on nothing else."""
    out = io.BytesIO()
    out.write(first)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as z:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            z.writestr(info, files[name])
    return out.getvalue()


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
        program = [str(path)] if python == "env" or os.access(python, os.X_OK) else [sys.executable, str(path)]
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
    files = {**dict(sources(folder)), **dict(sdk()), "__main__.py": _MAIN.format(entry=entry).encode()}
    code = archive(shebang(python), files)
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


if __name__ == "__main__":
    main()
