package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// cohort looks at the form of target_cohort.
func (c *checker) cohort(p *point, at string) {
	f := p.cfg.Get("target_cohort")
	if f.IsNull() {
		return
	}
	if _, err := rules.ParseCohort(f.Text); err != nil {
		c.fail("target-cohort", "form", at, "Write the round that the submission is for.", "target_cohort: %v", err)
		return
	}
	c.pass("target-cohort", at, "target_cohort is %s", f.Text)
}

// seedSets holds each point's seeds to the set that it names.
func (c *checker) seedSets(v *curve) {
	points := slices.DeleteFunc(v.usable(), func(p *point) bool { return p.cfg.Get("seed_set").IsNull() })
	ids := distinct(points, func(p *point) string { return p.text("seed_set") })
	switch {
	case len(ids) > 1:
		c.fail("seed-set-consistency", "differ", v.model.Path, "Run all points with the seeds of one set.", "the points name %d seed sets: %s", len(ids), quoted(ids))
	case len(ids) == 1:
		c.pass("seed-set-consistency", v.model.Path, "all points name seed set %q", ids[0])
	}
	for _, p := range v.usable() {
		at := p.Point.Point.Path
		if p.cfg.Get("seed_set").IsNull() {
			c.withoutSet(p, at)
			continue
		}
		set, err := c.seeds.Find(p.text("seed_set"))
		if err != nil {
			c.fail("seed-set-membership", "unknown", at, "Name a published set, or give a file of newer ones with --seed-sets.", "%v", err)
			continue
		}
		c.pass("seed-set-membership", at, "seed set %s is published", set.ID)
		c.seedValues(p, at, set)
		c.adoption(p, at, set)
	}
}

// seedNames are the names in point.yaml, with those of v0.7.
var seedNames = []struct{ name, old string }{{"scheduler_rng_seed", "scheduler_random_seed"}, {"sample_index_rng_seed", "dataloader_random_seed"}, {"model_seed", ""}}

// seed is the value under either name; old says that it was the one of v0.7.
func (p *point) seed(name, old string) (v *lax.Value, isOld bool) {
	all := p.cfg.At("runtime_settings", "runtime")
	if v = all.Get(name); v.IsNull() && old != "" && !all.Get(old).IsNull() {
		return all.Get(old), true
	}
	return v, false
}

func (c *checker) seedValues(p *point, at string, set rules.SeedSet) {
	var wrong []string
	anyOld := false
	for i, want := range []uint64{set.Scheduler, set.SampleIndex, set.Model} {
		v, old := p.seed(seedNames[i].name, seedNames[i].old)
		anyOld = anyOld || old
		if n, ok := v.Whole(); !ok || n.Cmp(new(big.Int).SetUint64(want)) != 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %d", seedNames[i].name, v, want))
		}
	}
	if len(wrong) == 0 {
		c.pass("seed-runtime-match", at, "the seeds are those of set %s", set.ID)
		return
	}
	c.fail("seed-runtime-match", "differ", at, "Run with the set's seeds, kept as unsigned 64-bit integers.", "seeds of set %s: %s", set.ID, strings.Join(wrong, "; "))
	if anyOld {
		c.warn("seed-runtime-match", "old-names", at, "Name them scheduler_rng_seed, sample_index_rng_seed and model_seed.", "the seeds have their names of v0.7")
	}
}

func (c *checker) adoption(p *point, at string, set rules.SeedSet) {
	f := p.cfg.Get("target_cohort")
	if f.IsNull() {
		return
	}
	if cohort, err := rules.ParseCohort(f.Text); err == nil && set.Serves(cohort) {
		c.pass("seed-set-adoption", at, "set %s serves cohort %s", set.ID, cohort)
		return
	}
	c.fail("seed-set-adoption", "closed", at, "Take a set that serves the cohort and run again, or correct the cohort.",
		"seed set %s serves the cohorts from %s to %s, not %q", set.ID, set.Cohort, set.Last(), f.Text)
}

// withoutSet holds a point that names no set to v0.7, which had one seed.
func (c *checker) withoutSet(p *point, at string) {
	const legacy = 42
	for _, s := range seedNames[:2] {
		v, _ := p.seed(s.name, s.old)
		if n, ok := v.Whole(); ok && n.Cmp(big.NewInt(legacy)) == 0 {
			c.warn("seed-config-legacy", "legacy", at, "Name the seed_set.", "%s is %d, the one of v0.7, and no seed_set is declared", s.name, legacy)
			continue
		}
		c.fail("seed-config-legacy", "none", at, "Name the seed_set that the run's seeds are from.", "%s is %s, and no seed_set is declared", s.name, v)
	}
}

// drafter holds declared speculative decoding to the approved list.
func (c *checker) drafter(p *point) {
	spec, at := p.cfg.Get("speculative_decoding"), p.Point.Point.Path
	if spec.IsNull() || len(spec.Fields) == 0 {
		return
	}
	name := p.text("model_name")
	var approved []rules.Drafter
	for _, d := range c.drafters {
		if d.Benchmark == name {
			approved = append(approved, d)
		}
	}
	if len(approved) == 0 {
		c.fail("approved-drafter", "none", at, "Leave speculative decoding off, or give a newer list with --approved-drafters.", "no drafter is approved for %q", name)
		return
	}
	i := slices.IndexFunc(approved, func(d rules.Drafter) bool { return matches(d, spec) })
	if i < 0 {
		c.fail("approved-drafter", "unlisted", at, "Write weight_checksum letter for letter as on the list (git-sha1:...), or target_checksum with configuration.",
			"the declared drafter is none of those approved for %s", name)
		return
	}
	c.pass("approved-drafter", at, "the drafter is approved")
	c.leadTime(p, at, approved[i])
}

func matches(d rules.Drafter, spec *lax.Value) bool {
	if d.WeightChecksum != "" {
		return spec.Get("weight_checksum").Words() == d.WeightChecksum
	}
	configuration, err := lax.JSON(d.Configuration)
	return err == nil && d.TargetChecksum != "" && spec.Get("target_checksum").Words() == d.TargetChecksum && lax.Equal(spec.Get("configuration"), configuration)
}

func (c *checker) leadTime(p *point, at string, d rules.Drafter) {
	f := p.cfg.Get("target_cohort")
	cohort, err := rules.ParseCohort(f.Words())
	switch {
	case err != nil:
		c.warn("drafter-approval-lead-time", "unknown", at, "Correct target_cohort.", "the drafter's lead time cannot be judged, since target_cohort is %s", f)
	case cohort.Since(d.UsableFrom()) < 0:
		c.fail("drafter-approval-lead-time", "early", at, "Submit to a later cohort.", "the drafter was approved in %s, so it may be used from %s; the target is %s", d.Approved, d.UsableFrom(), cohort)
	default:
		c.pass("drafter-approval-lead-time", at, "the drafter may be used in %s", cohort)
	}
}
