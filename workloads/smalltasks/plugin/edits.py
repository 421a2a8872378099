"""Edits as a model writes them.

    FILE: name.py
    <<<<<<< SEARCH
    lines as they are
    =======
    lines as they shall be
    >>>>>>> REPLACE

A file may have several blocks. What stands around them is for people.
"""

import re

MAX_FILE = 64 << 10
"""The most characters of a file that was edited."""

_FILE = re.compile(r"[\s#*`]*FILE:\s*[*`]*([^*`\s]+)[*`]*\s*\Z")


class Unusable(Exception):
    """An answer whose edits cannot be made; the text says why, to the model."""


class TouchesTests(Exception):
    """An answer that edits tests."""


def parse(answer):
    """The edits of an answer: file, what is looked for, what takes its place."""
    edits, file, search, replace, into = [], None, [], [], None
    for line in answer.splitlines():
        mark = line.rstrip()
        if into is None and (named := _FILE.match(line)):
            file = named[1]
        elif into is None and mark == "<<<<<<< SEARCH":
            if file is None:
                raise Unusable("A block stands before any FILE line.")
            search, replace, into = [], [], "search"
        elif into == "search" and mark == "=======":
            into = "replace"
        elif into == "replace" and mark == ">>>>>>> REPLACE":
            edits.append((file, "".join(search), "".join(replace)))
            into = None
        elif into is not None:
            (search if into == "search" else replace).append(line + "\n")
    if into is not None:
        raise Unusable("The last block has no end.")
    if not edits:
        raise Unusable("The answer has no block.")
    return edits


def is_test(name):
    """Whether a path is that of a test, wherever it stands."""
    *folders, base = name.replace("\\", "/").lower().split("/")
    return (
        base in ("check.py", "tests.py", "conftest.py")
        or base.startswith("test")
        or base.endswith("_test.py")
        or any(folder in ("test", "tests") for folder in folders)
    )


def apply(files, edits):
    """The files with all edits made. Raises Unusable, and TouchesTests before anything else."""
    for name, _, _ in edits:
        if is_test(name):
            raise TouchesTests(name)
    made = dict(files)
    for name, search, replace in edits:
        if name not in made:
            raise Unusable(f"There is no file {name[:100]}; there are {', '.join(sorted(files))}.")
        found = made[name].count(search) if search else 0
        if found != 1:
            raise Unusable(f"A SEARCH text has to stand in {name} exactly once, and one stands there {found} times.")
        made[name] = made[name].replace(search, replace)
        if len(made[name]) > MAX_FILE:
            raise Unusable(f"{name} would have more than {MAX_FILE} characters.")
    return made
