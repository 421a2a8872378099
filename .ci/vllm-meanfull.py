"""Sums up the runs of .ci/vllm-meanfull: vllm-meanfull.py WORKDIR REPEATS."""
import json, math, statistics, sys

work, repeats = sys.argv[1], int(sys.argv[2])


def side(mode, repeat):
    report = json.load(open(f"{work}/{mode}-{repeat}/report.json"))
    window = next(w for w in report["metrics"]["windows"] if w["name"] == "trim")
    failed = report["metrics"]["failures"]["failed_turns"]
    return window["output_tokens_per_second"]["value"], window["turns"], failed, report["target"]


print("| repeat | mode | tok/s | turns | failed | KV use, mean and most % | hit % | waiting | preemptions |\n|---|---|---|---|---|---|---|---|---|")
logs = []
for repeat in range(1, repeats + 1):
    rates = {}
    for mode in ("full", "mean"):
        rates[mode], turns, failed, target = side(mode, repeat)
        kv = target["kv_use"]
        print(f"| {repeat} | {mode} | {rates[mode]:.1f} | {turns} | {failed} | {100 * kv['mean']:.0f}, {100 * kv['max']:.0f} | "
              f"{100 * target['prefix_hit_rate']['value']:.0f} | {target['waiting']['mean']:.2f} | {target['preemptions']['value']} |")
    logs.append(math.log(rates["mean"] / rates["full"]))
mean = math.exp(statistics.fmean(logs))
print(f"\nmean/full of {repeats} pairs: {mean:.3f} (geometric), each: {', '.join(f'{math.exp(v):.3f}' for v in logs)}", end="")
if repeats > 1:
    # Student's 97.5 % quantiles for 1 to 9 degrees of freedom
    student = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262][min(repeats - 1, 9) - 1]
    half = student * statistics.stdev(logs) / math.sqrt(repeats)
    print(f"; 95 % interval {mean * math.exp(-half):.3f} to {mean * math.exp(half):.3f}", end="")
print()
