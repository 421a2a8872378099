package check

import (
	"math"
	"slices"
	"strings"

	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// escalated are the rules whose warnings are errors in the strict list: the coming policies make them so, or a gate was not applied.
var escalated = map[string]bool{"point-duration": true, "agentic-osl-range": true, "agentic-accuracy-swebench": true, "agentic-accuracy": true}

// Strict are the rules of the second list, which RulesStrict applies beside the official ones.
func Strict() []Rule {
	return []Rule{
		{"strict-trajectories", "policies 2026-10-C1", "Trajectories", onlyError, "`num_trajectories_to_issue` is a positive multiple of 613."},
		{"strict-agentic-flags", "policies 2026-10-C1", "Agentic flags", onlyError, "`enable_salt` and `inject_tool_delay` are on, `stop_issuing_on_first_user_complete` is off."},
		{"strict-full-run-turns", "ours", "Turns of the full run", onlyError, "The full run has 30,335 turns for each 613 trajectories; fewer only where turns failed."},
		{"strict-super-passes", "§4.4", "Super-passes", onlyError, "A steady-state window spans no more passes than were issued, each of 613 trajectories."},
		{"strict-git-sha", "policies 2026-10-C1", "Client revision", either, "`git_sha` is a revision, not a placeholder; another client than the reference says so."},
		{"strict-numbers", "ours", "Numbers", onlyError, "Numbers are numbers: no NaN, no infinity, no text, no boolean in place of one."},
		{"strict-swebench-name", "§4.3", "Name of SWE-bench", onlyError, "Accuracy runs are named `swe_bench`."},
		{"strict-accuracy-settings", "policies 2026-10-C1", "Accuracy settings", onlyError, "`accuracy` declares the evaluation methods, 200 instances, one repeat and the model's template."},
		{"strict-checkpoint", "policies 2026-10-C1", "Checkpoint", onlyError, "`checkpoint` names the model's repository and a full revision."},
		{"strict-sampling", "ours", "Sampling", onlyError, "`model_params` of `config.yaml` hold the model's sampling parameters and no others."},
		{"strict-one-drafter", "§2.9.4", "One drafter", onlyError, "Speculative decoding is the same at all points."},
		{"strict-one-cohort", "§4.6", "One cohort", onlyError, "All points have the same `target_cohort`."},
		{"strict-one-point", "ours", "One point per concurrency", onlyError, "No two points have the same concurrency."},
	}
}

// second applies the second list to a curve.
func (c *checker) second(v *curve) {
	for _, p := range v.points {
		c.numbers(p)
		if p.cfg == nil || !v.agentic {
			continue
		}
		c.agenticSettings(p)
		c.passes(p)
		c.revision(p)
		c.sweName(p)
		if v.target != nil {
			c.accuracySettings(v, p)
			c.checkpoint(v, p)
			c.sampling(v, p)
		}
	}
	c.alike(v)
}

// trajectories are what a point says it issued; 0 where it does not say.
func trajectories(p *point) int {
	n, _ := p.cfg.At("runtime_settings", "agentic_inference", "num_trajectories_to_issue").Small()
	return max(n, 0)
}

func (c *checker) agenticSettings(p *point) {
	at := p.Point.Point.Path
	all := p.cfg.At("runtime_settings", "agentic_inference")
	n := all.Get("num_trajectories_to_issue")
	if k := trajectories(p); k == 0 || k%rules.Trajectories != 0 {
		c.fail("strict-trajectories", "multiple", at, "Issue whole passes of the data set.",
			"runtime_settings.agentic_inference.num_trajectories_to_issue is %s; want a positive multiple of %d", n, rules.Trajectories)
	} else {
		c.pass("strict-trajectories", at, "%d trajectories are %d passes", k, k/rules.Trajectories)
	}
	ok := true
	for _, f := range []struct {
		name string
		want bool
	}{{"enable_salt", true}, {"inject_tool_delay", true}, {"stop_issuing_on_first_user_complete", false}} {
		if got := all.Get(f.name); got == nil || got.Kind != lax.Bool || got.Bool != f.want {
			c.fail("strict-agentic-flags", f.name, at, "Run by the rules, and declare it.", "runtime_settings.agentic_inference.%s is %s; want %t", f.name, got, f.want)
			ok = false
		}
	}
	if ok {
		c.pass("strict-agentic-flags", at, "salt, delays and the stop rule are as they must be")
	}
}

// passes holds the counts of a run to the passes that it declares.
func (c *checker) passes(p *point) {
	passes := trajectories(p) / rules.Trajectories
	if passes == 0 {
		return // said already
	}
	c.fullRun(p, passes)
	w := p.cfg.At("steady_state", "window")
	span, told := superPasses(w)
	size, sized := w.Get("super_pass_size").Small()
	at := p.Point.Point.Path
	switch {
	case told && span > passes:
		c.fail("strict-super-passes", "more-than-issued", at, "Leave steady_state out: an agentic run of one pass has no window of four.",
			"%s: the steady-state window claims %d super-passes, but %d trajectories make %d", p.Dir, span, trajectories(p), passes)
	case sized && size != rules.Trajectories:
		c.fail("strict-super-passes", "size", at, "A super-pass is one pass over the data set.", "%s: super_pass_size is %d; want %d", p.Dir, size, rules.Trajectories)
	default:
		c.pass("strict-super-passes", at, "no more super-passes are claimed than were issued")
	}
}

func (c *checker) fullRun(p *point, passes int) {
	turns, ok := fullRunTurns(p)
	if !ok {
		return
	}
	failed, _ := p.sum.Get("n_samples_failed").Number()
	want := float64(passes) * rules.ClientTurns
	if turns == want || failed > 0 && turns < want {
		c.pass("strict-full-run-turns", p.Summary.Path, "the full run has %.0f turns", turns)
		return
	}
	c.fail("strict-full-run-turns", "count", p.Summary.Path, "Let every trajectory run to its end, and count all turns in output_sequence_lengths_full_run.",
		"%s: the full run has %.0f turns, but %d trajectories have %.0f", p.Dir, turns, trajectories(p), want)
}

// fullRunTurns counts by the histogram, or else by total and mean.
func fullRunTurns(p *point) (float64, bool) {
	lengths := p.sum.At("output_sequence_lengths_full_run", "output_sequence_lengths")
	sum, counts := 0.0, list(lengths.At("histogram", "counts"))
	for _, n := range counts {
		k, _ := n.Number()
		sum += k
	}
	if len(counts) > 0 {
		return sum, true
	}
	total, ok := lengths.Get("total").Number()
	mean, ok2 := lengths.Get("avg").Number()
	return math.Round(total / mean), ok && ok2 && mean > 0
}

// revision looks at git_sha. Ours says whose it is, so that nobody takes it for the reference client's.
func (c *checker) revision(p *point) {
	if p.sum == nil {
		return
	}
	at, sha := p.Summary.Path, p.sum.Get("git_sha").Words()
	switch {
	case strings.HasPrefix(strings.ToLower(sha), "paceline"):
		c.warn("strict-git-sha", "other-client", at, "Official results of scenario CoP must come from the unmodified reference client.", "%s: git_sha %q is Paceline's, not the reference client's", p.Dir, sha)
	case !fullSHA(sha):
		c.fail("strict-git-sha", "placeholder", at, "Write the client's full revision.", "%s: git_sha is %q; want the 40 hexadecimal digits of the client's revision", p.Dir, sha)
	default:
		c.pass("strict-git-sha", at, "git_sha is a revision")
	}
}

func fullSHA(s string) bool {
	const digits = 40
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

func (c *checker) sweName(p *point) {
	for _, s := range p.scores {
		if !s.inline && s.name != swebench {
			c.fail("strict-swebench-name", "name", p.Accuracy.Path, "Name it "+swebench+"; else its score is not gated.", "%s: the accuracy run is named %q", p.Dir, s.name)
		}
	}
}

// alike holds what must be the same at all points to that.
func (c *checker) alike(v *curve) {
	at := v.model.Path
	points := v.usable()
	for i, p := range points {
		if first := points[0]; i > 0 && !sameDrafter(first.cfg.Get("speculative_decoding"), p.cfg.Get("speculative_decoding")) {
			c.fail("strict-one-drafter", "differ", p.Point.Point.Path, "Use the same drafter at all points, or none.", "%s: speculative_decoding is not that of %s", p.Dir, first.Dir)
		}
		if j := slices.IndexFunc(points, func(q *point) bool { return q.concurrency == p.concurrency }); j < i {
			c.fail("strict-one-point", "twice", p.Path, "Keep one of them.", "%s and %s both have concurrency %d", points[j].Dir, p.Dir, p.concurrency)
		}
	}
	if cohorts := distinct(points, func(p *point) string { return p.text("target_cohort") }); len(cohorts) > 1 {
		c.fail("strict-one-cohort", "differ", at, "Submit a curve to one round.", "the points name %d cohorts: %s", len(cohorts), quoted(cohorts))
	}
}

func sameDrafter(a, b *lax.Value) bool {
	if empty := func(v *lax.Value) bool { return v.IsNull() || len(v.Fields) == 0 }; empty(a) || empty(b) {
		return empty(a) == empty(b)
	}
	return lax.Equal(a, b)
}
