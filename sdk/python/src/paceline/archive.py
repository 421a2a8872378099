"""A plugin's file: a Python zip application whose bytes depend on the files in it and on its first line alone."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

MAX_SHEBANG = 127
"""The most bytes of the first line that every system reads."""

_LEFT_OUT = frozenset({"archive.py", "build.py", "testing.py", "__main__.py"})  # of this SDK: a running plugin does not need them
_MAIN = """\
import sys

if sys.version_info < (3, 10):
    sys.exit(f"{{sys.executable}} is too old: Python 3.10 or newer is needed")
try:
    import google.protobuf
    import grpc
except ImportError as e:
    sys.exit(f"{{e.name}} is missing: install grpcio and protobuf for {{sys.executable}}")
from paceline.server import run

run({entry!r})
"""


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


def whole(folder: Path, *, python: str, entry: str) -> bytes:
    """The file of the plugin in folder. Raises Fault."""
    files = {**dict(sources(folder)), **dict(sdk()), "__main__.py": _MAIN.format(entry=entry).encode()}
    return archive(shebang(python), files)


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
