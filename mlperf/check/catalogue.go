package check

import (
	"slices"
	"sort"
)

// Rule is one rule of a list.
type Rule struct {
	ID       string
	Spec     string // section of the technical rules
	Title    string
	Severity string // what its findings are: error, warning, error or warning, or info
	Wants    string // in one sentence
}

const (
	onlyError   = "error"
	onlyWarning = "warning"
	either      = "error or warning"
	onlyInfo    = "info"
)

// Official are the rules of checker 1.5.3.0 that can apply to an agentic submission, with its ids and severities.
func Official() []Rule {
	return slices.Concat(structureRules(), pointRules(), curveRules(), metricRules(), accuracyRules(), seedRules(), powerRules())
}

func structureRules() []Rule {
	return []Rule{
		{"path-exists", "§1", "Submission path", onlyError, "The path is a folder."},
		{"required-dir", "§1", "Required folders", onlyError, "`results/` and `docs/` are there, and the path leads to one submission."},
		{"src-dir", "§1", "Implementation sources", onlyError, "`src/` holds at least one implementation folder."},
		{"src-readme", "§1", "Implementation README", onlyError, "Each implementation has a `README.md` that tells how to reproduce a point."},
		{"system-results-dir", "§1", "System folders", onlyError, "`results/` holds a folder per system."},
		{"benchmark-model-dir", "§1", "Model folders", onlyError, "Each system has a folder per model."},
		{"point-dirs", "§1", "Point folders", onlyError, "Each model has point folders `r<N>/`."},
		{"measurement-points-present", "§1", "Measurement points", onlyError, "Each point has a `point.yaml`, and at least one can be read."},
		{"point-dirname-concurrency", "§1", "Point folder name", onlyWarning, "`r<N>` names the point's concurrency."},
		{"config-file-present", "§8.1", "Run configuration", onlyError, "Each point has a `config.yaml`, a YAML map."},
		{"result-summary-present", "§1", "Result summary", onlyError, "Each point has a `result_summary.json`."},
		{"system-description-present", "§8.2", "System description present", onlyError, "Each point has a `system_desc.json`."},
		{"accuracy-present", "§15", "Accuracy results present", onlyError, "Some point has accuracy results."},
		{"shared-path-resolution", "§9.1", "Shared source and documents", onlyError, "`shared_src` and `shared_docs` are folders of the package."},
		{"point-rules-skipped", "§8.3", "Rules not run", onlyWarning, "`point.yaml` can be used, so that the rules that read it run."},
	}
}

func pointRules() []Rule {
	return []Rule{
		{"point-config-valid", "§8.3", "Point file", onlyError, "`point.yaml` has the right types and ranges."},
		{"point-disclosure-complete", "§8.3", "Disclosure", onlyError, "The twelve disclosure fields of `point.yaml` are filled in."},
		{"region-declared", "§8.3", "Region word", onlyError, "A declared `region` is one of the known words."},
		{"region-placement", "§8.3", "Region", onlyWarning, "A declared `region` is the one of the concurrency."},
		{"offline-declared", "§5.7", "Offline word", onlyError, "A declared `offline` is one of the known words."},
		{"load-pattern", "§10", "Load pattern", onlyError, "The load pattern holds a fixed concurrency, and it is positive."},
		{"streaming-config", "§6.5", "Streaming", onlyInfo, "Shows `stream_all_chunks`; judges nothing."},
		{"warmup-present", "§6.3.3", "Warm-up", onlyError, "`point.yaml` declares the warm-up, even where there was none."},
		{"warmup-logs-retained", "§6.3.2", "Warm-up logs", onlyWarning, "Logs of the warm-up are kept for reviewers."},
		{"warmup-salt", "§6.3.3", "Warm-up salt", onlyWarning, "The warm-up is not salted."},
		{"steady-state-valid", "§4.4", "Steady-state words", onlyError, "Status, verdict and states are among the known words."},
		{"steady-state-consistency", "§4.4", "Steady state", onlyError, "The status fits the number of super-passes and the states."},
		{"steady-state-basis", "§4.4", "Basis of the metrics", onlyWarning, "The metrics rest on a steady-state window without drift."},
	}
}

func curveRules() []Rule {
	return []Rule{
		{"benchmark-type-consistency", "§6.1, §8.5", "One benchmark", onlyError, "All points have the same load pattern."},
		{"point-count", "§2, §8", "Least number of points", onlyError, "A curve has at least 7 points."},
		{"point-cap", "§8", "Largest number of points", onlyError, "A curve has at most 32 points."},
		{"region-computation", "§5.5", "Regions", onlyError, "C_max is above 32 and C_min from 1 to 32."},
		{"region-basis", "§5.4", "Basis of the regions", onlyWarning, "`max_supported_concurrency` can be read."},
		{"c-min-override", "§5.4", "C_min override", onlyError, "`c_min_override` is an integer from 1 to 32, the same at all points, and one of the measured concurrencies."},
		{"max-concurrency-declared", "§7", "C_max", onlyInfo, "Shows `max_supported_concurrency`."},
		{"concurrency-in-range", "§9", "Concurrency in range", onlyError, "No point lies above the margin."},
		{"ultra-low-concurrency-coverage", "§5.4", "Ultra Low covered", onlyError, "A point lies in Ultra Low."},
		{"low-concurrency-coverage", "§§3-6", "Low covered", onlyError, "A point lies in Low."},
		{"med-concurrency-coverage", "§§3-6", "Medium covered", onlyError, "A point lies in Medium."},
		{"high-concurrency-coverage", "§§3-6", "High covered", onlyError, "A point lies in High."},
		{"offline-point-present", "§5.7", "Offline point", onlyError, "An agentic curve has no Offline point."},
		{"offline-ordering", "§5.7", "Offline order", onlyWarning, "A dedicated Offline point is not slower than the one of the highest concurrency."},
		{"model-name-valid", "§3.2", "Model name", onlyError, "`model_name` is one of the allowed names."},
		{"model-name-consistency", "§8.1", "Model folder", either, "The model's folder is named as `model_name`."},
		{"config-consistency-model", "§9.1", "One model", onlyError, "All points have the same `model_name`."},
		{"config-consistency-dataset", "§9.1", "One data set", onlyError, "All points have the same `dataset`."},
		{"system-description-valid", "§8.2", "System description", onlyError, "`system_desc.json` has every field that is wanted."},
		{"system-description-consistency", "§8.5", "One system", onlyError, "All points describe the same system."},
		{"tps-utilization", "§8.2", "Utilization", onlyError, "`tps_utilization` is the point's share of the curve's highest throughput."},
	}
}

func metricRules() []Rule {
	return []Rule{
		{"result-file-valid", "§8.3", "Result summary valid", onlyError, "`result_summary.json` has the right types, and percentile keys that do not clash."},
		{"metric-consistency-duration", "§14", "Duration", onlyError, "`duration_ns` is positive."},
		{"metric-consistency-accounting", "§14", "Sample accounting", onlyError, "Completed and failed samples make the issued ones."},
		{"metric-consistency-output-tokens", "§14", "Output tokens", onlyError, "The total of output tokens is a number from 0 on."},
		{"metric-consistency-system-tps", "§9.1", "System throughput", onlyError, "A stored `system_tps` is tokens over seconds."},
		{"metric-consistency-tpot-p90", "§9.1", "TPOT P90", onlyError, "TPOT P90 is there, finite and positive."},
		{"metric-consistency-tps-per-user", "§9.1", "Throughput per user", onlyError, "A stored `tps_per_user` is 1000 over TPOT P90 in ms."},
		{"agentic-metric-consistency", "§4.1", "Interactivity", onlyError, "A stored `e2e_avg_interactivity` can be derived, and is right."},
		{"metric-consistency-tps-per-kw", "§4.5.3", "Throughput per kW", onlyError, "A stored `system_tps_per_kw` is throughput over the point's power."},
		{"point-duration", "§6.2", "Duration of a point", onlyWarning, "A point runs at least 600 s, above concurrency 32 at least 2,400 s."},
	}
}

func accuracyRules() []Rule {
	return []Rule{
		{"accuracy-valid", "§4.3", "Accuracy file", onlyError, "Entries have a name, a score, one inline entry, and aliases that agree."},
		{"accuracy-coverage", "§4.3, §5.3", "Accuracy runs", onlyError, "Each of the four bands has exactly one accuracy run, and no other point has one."},
		{"accuracy-gate", "§15", "Accuracy gate", onlyWarning, "There are thresholds for the model."},
		{"agentic-accuracy", "§4.3", "Agentic targets", onlyWarning, "There are agentic thresholds for the model."},
		{"agentic-accuracy-inline", "§4.3", "Inline accuracy", onlyError, "Every point's inline score reaches the threshold."},
		{"agentic-accuracy-swebench", "§4.3", "SWE-bench", either, "The mean of the four bands' `swe_bench` scores reaches the threshold."},
		{"agentic-osl-range", "§4.3", "Output length", either, "The full run's mean output length per turn lies in the model's range."},
	}
}

func seedRules() []Rule {
	return []Rule{
		{"seed-set-membership", "§4.6", "Seed set", onlyError, "`seed_set` is a published one."},
		{"seed-set-consistency", "§4.6", "One seed set", onlyError, "All points name the same seed set."},
		{"seed-runtime-match", "§4.6", "Seeds", either, "The three seeds are those of the set."},
		{"seed-set-adoption", "§4.6", "Seed set's cohorts", onlyError, "The set serves the target cohort."},
		{"seed-config-legacy", "§4.6", "Seeds without a set", either, "A `seed_set` is declared."},
		{"target-cohort", "§4.6", "Target cohort", onlyError, "`target_cohort` reads YYYY-MM-C0 or YYYY-MM-C1."},
		{"approved-drafter", "§2.9.4", "Drafter", onlyError, "A drafter for speculative decoding is on the approved list."},
		{"drafter-approval-lead-time", "§2.9.4", "Drafter's lead time", either, "The drafter was approved two cohorts before."},
	}
}

func powerRules() []Rule {
	return []Rule{
		{"power-descriptor", "§4.5.2", "Power descriptor", either, "`system_power.json` is there (Standardized), complete, sourced, and equals its recomputation."},
		{"power-estimated", "§4.5.2", "Estimated power", onlyWarning, "No figure of Appendix D is needed."},
		{"nodes-used", "§4.5.3", "Nodes used", either, "`nodes_used` names existing nodes, enough for the parallelism and not more."},
		{"maximal-engagement", "§4.5.3", "Engagement", either, "Data parallelism uses all accelerators, or the shortfall is declared."},
	}
}

// rule is the entry of an id.
func rule(id string) Rule {
	i := sort.Search(len(byID), func(i int) bool { return byID[i].ID >= id })
	if i < len(byID) && byID[i].ID == id {
		return byID[i]
	}
	return Rule{ID: id}
}

var byID = sorted(append(Official(), Strict()...))

func sorted(all []Rule) []Rule {
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}
