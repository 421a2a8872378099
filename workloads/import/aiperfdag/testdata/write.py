"""Writes sessions with AIPerf's own models of its dag_jsonl and multi_turn files, and reads the first with AIPerf's loader.
Usage: python write.py DAG_FILE TURNS_FILE, where aiperf is installed."""

import sys

from aiperf.dataset.loader.dag_jsonl import DagJsonlLoader
from aiperf.dataset.loader.dag_jsonl_models import DagConversation, DagFork, DagSpawn, DagTurn
from aiperf.dataset.loader.models import MultiTurn, SingleTurn


def turn(text, **more):
    return DagTurn(messages=[{"role": "user", "content": text}], **more)


def write(name, models):
    with open(name, "w", encoding="utf-8") as out:
        for m in models:
            out.write(m.model_dump_json(exclude_none=True, exclude_defaults=False) + "\n")


write(sys.argv[1], [
    DagConversation(session_id="lead", turns=[
        turn("Plan.", spawns=["left", DagSpawn(children=["right"], join_at=2)], max_tokens=64),
        turn("Go on.", delay=50.0, forks=[DagFork(child="aside", background=True)]),
        turn("Join.", extra={"temperature": 0.0}, forks=["end"]),
    ]),
    *(DagConversation(session_id=name, turns=[turn(f"I am {name}."), turn("More.")]) for name in ("left", "right", "aside", "end")),
])
read = DagJsonlLoader(sys.argv[1]).load()
print(len(read), "sessions with", sum(len(c.turns) for c in read), "turns, by AIPerf's loader")
write(sys.argv[2], [MultiTurn(session_id="s", turns=[
    SingleTurn(role="system", text="Be brief."), SingleTurn(text="One?", timestamp=100), SingleTurn(texts=["Two?", "Three?"], delay=1500, output_length=16),
])])
