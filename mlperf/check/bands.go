package check

import (
	"slices"
	"strings"

	"paceline/mlperf/rules"
)

// bands gives each band an accuracy run, by as many as can be given one, and says which have none and which runs are too many. What it
// returns are the runs by band, those that are too many with the first band that they could stand for; nil without regions.
func (c *checker) bands(v *curve) [][]*point {
	if v.regions == nil {
		return nil
	}
	bands := v.regions.Bands(v.overridden)
	runs := v.accuracyRuns()
	m := &matching{bands: bands, runs: runs, of: make([]int, len(bands))}
	for i := range m.of {
		m.of[i] = -1
	}
	groups := make([][]*point, len(bands))
	var extra []string
	var spare []*point
	for i, p := range runs {
		if !m.place(i, make([]bool, len(bands))) {
			extra, spare = append(extra, p.Dir), append(spare, p)
		}
	}
	var without []string
	for b, run := range m.of {
		if run < 0 {
			without = append(without, bands[b].Name)
			continue
		}
		groups[b] = append(groups[b], runs[run])
	}
	for _, p := range spare {
		if b := slices.IndexFunc(bands, func(b rules.Band) bool { return b.In.Has(p.concurrency) }); b >= 0 {
			groups[b] = append(groups[b], p)
		}
	}
	at := v.model.Path
	if len(without) > 0 {
		c.fail("accuracy-coverage", "missing", at, "Make an accuracy run at one point of each.", "no accuracy run stands for %s", strings.Join(without, ", "))
	}
	if len(extra) > 0 {
		c.fail("accuracy-coverage", "extra", at, "Keep one accuracy run for each of the four bands.", "the accuracy runs at %s stand for no band", quoted(extra))
	}
	if len(without)+len(extra) == 0 {
		c.pass("accuracy-coverage", at, "each of the four bands has an accuracy run")
	}
	return groups
}

// matching is runs placed in bands, one to each: a run that finds its bands taken moves another if that can go elsewhere.
type matching struct {
	bands []rules.Band
	runs  []*point
	of    []int // run of each band; -1: none
}

func (m *matching) place(run int, tried []bool) bool {
	for b := range m.bands {
		if tried[b] || !m.bands[b].In.Has(m.runs[run].concurrency) {
			continue
		}
		tried[b] = true
		if m.of[b] < 0 || m.place(m.of[b], tried) {
			m.of[b] = run
			return true
		}
	}
	return false
}

// sweBench gates the mean over the bands.
func (c *checker) sweBench(v *curve, groups [][]*point) {
	at := v.model.Path
	sum, n := 0.0, 0
	for b, group := range groups {
		mean, names := c.sweMean(group)
		if len(names) == 0 {
			continue
		}
		if len(names) > 1 {
			c.warn("agentic-accuracy-swebench", "several", at, "Keep one for each band.", "%s has %d SWE-bench scores (%s), which were averaged",
				v.regions.Bands(v.overridden)[b].Name, len(names), strings.Join(names, ", "))
		}
		sum, n = sum+mean, n+1
	}
	if n == 0 {
		c.warn("agentic-accuracy-swebench", "none", at, "Name the accuracy entry "+swebench+".", "no accuracy run of a band has an entry named %s", swebench)
		return
	}
	mean, least := sum/float64(n)*100, v.target.SWEBenchPercent
	switch {
	case below(mean, least):
		c.fail("agentic-accuracy-swebench", "low", at, "Find out what makes the answers worse, and measure again.", "the mean of %d bands' SWE-bench scores is %.2f %%, below the %.2f %% for %s", n, mean, least, v.target.Name)
	case n < rules.AccuracyRuns:
		c.warn("agentic-accuracy-swebench", "few", at, "Make the missing runs.", "the mean of SWE-bench scores, %.2f %%, is over %d bands; it takes %d", mean, n, rules.AccuracyRuns)
	default:
		c.pass("agentic-accuracy-swebench", at, "the mean of four bands' SWE-bench scores is %.2f %%", mean)
	}
}

// sweMean averages the usable scores of one band's runs.
func (c *checker) sweMean(group []*point) (mean float64, names []string) {
	sum := 0.0
	for _, p := range group {
		for _, s := range p.scores {
			switch {
			case s.inline || s.name != swebench || !s.scored:
			case !fraction(s.value):
				c.fail("agentic-accuracy-swebench", "no-fraction", p.Accuracy.Path, "Write a fraction, not a percentage.", "%s: the SWE-bench score is %g; want a fraction from 0 to 1", p.Dir, s.value)
			default:
				sum += s.value
				names = append(names, p.Dir)
			}
		}
	}
	return sum / float64(len(names)), names
}
