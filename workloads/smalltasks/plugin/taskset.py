"""The tasks: a statement, the modules that are to be mended, and a check that the model never sees."""

import functools
import hashlib
import json
import pkgutil
from dataclasses import dataclass

CHECK = "check.py"
"""The name that a check has beside the modules while it runs."""


@dataclass(frozen=True)
class Task:
    """One task; files are the modules as they are handed out."""

    id: str
    kind: str
    statement: str
    files: dict
    check: str

    @property
    def tests(self):
        """How many tests the check has."""
        return self.check.count("    def test_")


def _read(name):
    return pkgutil.get_data(__name__, "tasks/" + name).decode()


@functools.cache
def load():
    """All tasks, in the order of the index."""
    return tuple(
        Task(
            id=entry["id"],
            kind=entry["kind"],
            statement=_read(f"{entry['id']}/statement.md"),
            files={name: _read(f"{entry['id']}/code/{name}") for name in entry["files"]},
            check=_read(f"{entry['id']}/{CHECK}"),
        )
        for entry in json.loads(_read("index.json"))
    )


def digest(tasks):
    """SHA-256 over everything that tasks are made of, in hex."""
    whole = [[t.id, t.kind, t.statement, sorted(t.files.items()), t.check] for t in tasks]
    return hashlib.sha256(json.dumps(whole, ensure_ascii=True).encode()).hexdigest()
