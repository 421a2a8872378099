"""Counts the turns of a run again, from its journal on the standard input alone, and holds report.json (the argument) to that."""

import json
import sys

TURNS = 30335

starts, ends, sent = [], [], []
measure = None
for line in sys.stdin:
    record = json.loads(line)
    kind = record["rec"]
    if kind == "phase" and record["phase"] == "measure":
        measure = record["at"]
    elif kind == "end":
        starts.append(record["start"])
        ends.append(record["end"])
    elif kind == "sample" and record["timing"].get("sent", -1) >= 0:
        sent.append(record["timing"]["sent"])
        if record["outcome"] != "ok":
            sys.exit(f"a turn ended as {record['outcome']}")

closed = min(end for end in ends if end > max(starts))
window = sum(1 for at in sent if measure <= at < closed)
with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
metrics = report["metrics"]
for name, want, found in (
    ("conversations", 613, len(ends)),
    ("turns in the journal", TURNS, len(sent)),
    ("turns of the report", TURNS, metrics["failures"]["planned_turns"]),
    ("turns in the window", window, metrics["mlperf"]["issued"]),
    ("end of the window", closed, metrics["window"]["close_ns"]),
):
    if want != found:
        sys.exit(f"{name}: by hand {want}, told {found}")
print(f"{len(ends)} conversations, {len(sent)} turns, {window} of them in the window: report and journal agree")
