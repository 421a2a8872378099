"""Breaks the golden package in seeded ways, and writes down what the official checker says about each broken one.

usage: checker.py GOLDEN OUT COUNT SEED     (with the Python of a venv that has endpoints-submission-cli)

OUT/<n>/org/sub is a package; OUT/official.json holds for each n its verdict, its "severity:rule" and what was done to it.
"""

import copy
import json
import math
import os
import random
import sys
from pathlib import Path

import yaml
from submission_checker import SubmissionChecker

ODD = [None, "", 0, -1, 1, 2, 4, 1.5, True, False, "x", "5", " 7 ", math.nan, math.inf, 10**19, 10**30, [], {}, ["x"], {"x": 1}, 0.5, 64, "A", "none"]
WORDS = {
    "region": ["low_latency", "low_concurrency", "med_concurrency", "high_concurrency", "margin", "submitters_choice", "Low"],
    "offline": ["none", "dedicated", "elected", "maybe"],
    "load_pattern": ["agentic_inference", "concurrency", "poisson"],
    "division": ["Standardized", "rdi", "Serviced", "open"],
    "status": ["windowable", "insufficient_duration", "insufficient_passes", "partial_dataset", "ok"],
    "verdict": ["STEADY STATE", "drifting_up", "drifting_down", "anomaly", "not found", "steady"],
    "target_cohort": ["2026-10-C0", "2026-10-C1", "2026-12-C0", "2027-01-C1", "soon"],
    "cooling": ["air", "liquid", "Liquid-cooled", "Air-cooled", ""],
    "power_method": ["component_sum", "published_system", "node_scaling"],
    "method": ["none", "declared_tdp", "bandwidth_estimate"],
    "system_availability_status": ["Available", "Preview", "RDI", "preview"],
    "model_name": ["qwen3_6-35b-a3b", "kimi-k3", "Qwen", ""],
    "dataset_type": ["performance", "accuracy", "Performance"],
    "dataset_name": ["performance", "swe_bench", "swebench"],
    "source_type": ["vendor_spec", "mlc_default", "publication"],
}
NEW = {  # fields that the golden package does not have
    "point.yaml": {"offline": "none", "dp_shortfall": {"dp_actual": 3, "dp_formula": 4, "reason": "x"},
                   "speculative_decoding": {"weight_checksum": "git-sha1:995ad96eacd98c81ed38be0c5b274b04031597b0"}},
    "system_desc.json": {"c_min_override": 4, "target_availability_date": "2026-12-01", "extra": 1},
    "result_summary.json": {"extra": math.nan},
    "accuracy_results.json": {"extra": 1},
    "system_power.json": {"declared_provisioned_power": {"value_kw": 9.9, "source_type": "vendor_spec", "source": "https://example.com/x"}},
    "config.yaml": {"extra": 1},
}


def load(golden):
    docs = {}
    for p in sorted(golden.rglob("*")):
        if p.is_file():
            text = p.read_text(encoding="utf-8")
            docs[p.relative_to(golden).as_posix()] = (
                yaml.safe_load(text) if p.suffix == ".yaml" else json.loads(text) if p.suffix == ".json" else text)
    return docs


def places(doc, at=()):
    for k, v in doc.items() if isinstance(doc, dict) else enumerate(doc) if isinstance(doc, list) else ():
        yield at + (k,)
        if k not in ("histogram", "runtime_config"):
            yield from places(v, at + (k,))


def follow(doc, at):
    for k in at:
        doc = doc[k]
    return doc


def value(rng, key, old):
    if key in WORDS and rng.random() < 0.7:
        return rng.choice(WORDS[key])
    if isinstance(old, (int, float)) and not isinstance(old, bool) and rng.random() < 0.6:
        new = old * rng.choice([0, 0.5, 0.98, 0.995, 1.005, 1.02, 2, -1])
        return int(new) if isinstance(old, int) and rng.random() < 0.8 else new
    return rng.choice(ODD)


def change_field(rng, docs):
    name = rng.choice(sorted(NEW))
    files = [f for f in docs if f.endswith("/" + name)]
    if not files:
        return "nothing"
    only = files if rng.random() < 0.3 else [rng.choice(files)]
    doc = docs[only[0]]
    if not isinstance(doc, dict):
        return "nothing"
    if rng.random() < 0.1:
        key, new = rng.choice(sorted(NEW[name].items()))
        for f in only:
            if isinstance(docs[f], dict):
                docs[f][key] = copy.deepcopy(new)
        return f"{only}: {key} = {new!r}"
    all_places = list(places(doc))
    if not all_places:
        return "nothing"
    at = rng.choice(all_places)
    drop = rng.random() < 0.25
    new = value(rng, at[-1], follow(doc, at))
    for f in only:
        try:
            parent = follow(docs[f], at[:-1])
            if drop:
                del parent[at[-1]]
            else:
                parent[at[-1]] = copy.deepcopy(new)
        except (KeyError, IndexError, TypeError):
            pass
    return f"{only}: {'.'.join(map(str, at))} {'dropped' if drop else f'= {new!r}'}"


def drop_file(rng, docs):
    f = rng.choice(sorted(docs) or ["nothing"])
    docs.pop(f, None)
    return f"{f} removed"


def move_point(rng, docs):
    points = sorted({f.rsplit("/", 1)[0] for f in docs if f.endswith("point.yaml")})
    if not points:
        return "nothing"
    old = rng.choice(points)
    n = rng.choice([2, 3, 5, 6, 17, 18, 33, 40, 65, 71, 72, 100])
    new = old.rsplit("/", 1)[0] + f"/r{n}"
    if rng.random() < 0.3:  # a copy
        for f in [f for f in docs if f.startswith(old + "/")]:
            docs[new + f[len(old):]] = copy.deepcopy(docs[f])
    else:
        for f in [f for f in docs if f.startswith(old + "/")]:
            docs[new + f[len(old):]] = docs.pop(f)
    point = docs.get(new + "/point.yaml")
    if isinstance(point, dict) and rng.random() < 0.8:
        point["concurrency"] = n
    return f"{old} to {new}"


def move_accuracy(rng, docs):
    files = sorted(f for f in docs if f.endswith("accuracy_results.json"))
    if len(files) < 2:
        return "nothing"
    a, b = rng.sample(files, 2)
    docs[a], docs[b] = docs[b], docs[a]
    return f"{a} and {b} swapped"


def write(root, docs):
    for name, doc in docs.items():
        p = root / name
        p.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".yaml") and not isinstance(doc, str):
            p.write_text(yaml.safe_dump(doc, sort_keys=False), encoding="utf-8")
        else:
            p.write_text(doc if isinstance(doc, str) else json.dumps(doc), encoding="utf-8")


def official(root):
    try:
        report = SubmissionChecker(root).run()
    except Exception as e:  # it crashes on some packages
        return "CRASH", [], [f"{type(e).__name__}: {e}".splitlines()[0][:200]]
    bad = [r for r in report.results if r.severity.value != "info"]
    return ("PASS" if report.passed else "FAIL"), sorted({f"{r.severity.value}:{r.rule}" for r in bad}), [f"{r.rule}: {r.message}" for r in bad]


def main():
    golden, out, count, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    base = load(golden)
    ways = [change_field] * 16 + [drop_file, move_point, move_point, move_accuracy]
    cases = []
    for n in range(count):
        rng = random.Random(seed * 1_000_003 + n)
        docs = copy.deepcopy(base)
        done = [rng.choice(ways)(rng, docs) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
        root = out / str(n) / "org" / "sub"
        write(root, docs)
        sys.stderr = open(os.devnull, "w")
        verdict, rules, messages = official(root.parent)
        sys.stderr = sys.__stderr__
        cases.append({"case": n, "done": done, "verdict": verdict, "rules": rules, "messages": messages})
    (out / "official.json").write_text(json.dumps(cases, indent=1))
    print(f"{count} broken packages: {sum(c['verdict'] == 'CRASH' for c in cases)} crash the official checker, "
          f"{sum(c['verdict'] == 'PASS' for c in cases)} pass, {sum(c['verdict'] == 'FAIL' for c in cases)} fail")


main()
