"""The instances: rows of a SWE-bench data set, one JSON object a line, pinned as an input."""

import hashlib
import json
import re

import paceline

INPUT = "instances"
MAX_ROW = 8 << 20
NEEDED = ("instance_id", "repo", "base_commit", "problem_statement", "test_patch", "version", "FAIL_TO_PASS", "PASS_TO_PASS")
"""The fields that agent and harness use."""

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z")


def read(given, want):
    """The first rows, in the order of the input. Raises Faults."""
    rows, seen = [], set()
    for line in given.lines(limit=MAX_ROW):
        if len(rows) == want:
            break
        row = _row(line)
        if row["instance_id"] in seen:
            raise fault(line, "duplicate-id", f"{row['instance_id']} stands here twice", "each instance once")
        seen.add(row["instance_id"])
        rows.append(row)
    if len(rows) < want:
        raise paceline.fault(
            "too-few",
            f"{want} instances are wanted, and the input has {len(rows)}",
            expected="the whole data set, or a smaller num_instances",
            input=INPUT,
            pointer="/num_instances",
        )
    return rows


def _row(line):
    try:
        row = json.loads(line.text)
    except (ValueError, RecursionError) as e:
        raise fault(line, "bad-json", f"no JSON: {e}", "a JSON object on each line") from None
    if not isinstance(row, dict):
        raise fault(line, "bad-type", "no object", "a JSON object on each line")
    missing = [key for key in NEEDED if key not in row]
    if missing:
        raise fault(line, "missing-key", f"{missing[0]} is missing", "a row of SWE-bench with " + ", ".join(NEEDED))
    if not isinstance(row["instance_id"], str) or not _ID.match(row["instance_id"]) or ".." in row["instance_id"]:
        raise fault(line, "bad-id", "instance_id is no id", "letters, digits, dots, hyphens and underscores, at most 200")
    return row


def fault(line, code, message, expected):
    return paceline.fault(code, message, expected=expected, input=INPUT, line=line.number)


def digest(rows):
    """SHA-256 of the ids, each with a line feed behind it."""
    return hashlib.sha256("".join(row["instance_id"] + "\n" for row in rows).encode()).hexdigest()


def group(instance):
    """The repository of an instance: django__django-11099 is one of django/django."""
    return instance.rpartition("-")[0].replace("__", "/", 1) or instance
