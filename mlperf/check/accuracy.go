package check

import (
	"fmt"
	"slices"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
)

const (
	inlineType = "performance"
	swebench   = "swe_bench"
)

// score is one entry of accuracy_results.json.
type score struct {
	name   string
	inline bool
	value  float64
	scored bool // there is a number
}

// accuracyFile reads a point's scores, from accuracy_results.json or, where there is none, from results.json.
func (c *checker) accuracyFile(p *point) {
	f, doc := p.Accuracy, p.Accuracy.Doc
	if !f.Here {
		f = p.Results
		if doc = f.Doc.Get("accuracy_scores"); doc.IsNull() || (doc.Kind == lax.List || doc.Kind == lax.Map) && len(doc.List)+len(doc.Fields) == 0 {
			return
		}
		doc = &lax.Value{Kind: lax.Map, Fields: []lax.Field{{Key: "accuracy_scores", Value: doc}}}
	}
	p.measured = true
	if f.Err != nil {
		c.unreadable("accuracy-valid", f)
		return
	}
	p.scores = c.scores(f, doc)
}

// scores are the entries of a file, none where one of them is wrong.
func (c *checker) scores(f tree.File, doc *lax.Value) []score {
	all, fault := entries(doc)
	if fault == "" {
		fault = clash(all)
	}
	if fault != "" {
		c.fail("accuracy-valid", "entry", f.Path, "Write each entry once, with dataset_name and score; the inline one with dataset_type: performance.", "%s", fault)
		return nil
	}
	var scores []score
	for _, e := range all {
		s := score{name: e.name, inline: e.inline()}
		s.value, s.scored = number(e.doc.Get("score"))
		scores = append(scores, s)
	}
	return scores
}

type entry struct {
	name string
	doc  *lax.Value
}

// inline is the score of the performance run itself. An entry without a type is one where it is named so.
func (e entry) inline() bool {
	t := e.doc.Get("dataset_type")
	return t.Words() == inlineType || t == nil && e.name == inlineType
}

// entries reads the three forms: a list or a map under accuracy_scores, or either of them as the whole file.
func entries(doc *lax.Value) (all []entry, fault string) {
	if s := doc.Get("accuracy_scores"); s != nil {
		doc = s
	}
	switch doc.Kind {
	case lax.List:
		for _, e := range doc.List {
			all = append(all, entry{e.Get("dataset_name").Words(), e})
		}
	case lax.Map:
		for _, f := range doc.Fields {
			all = append(all, entry{f.Key, f.Value})
		}
	default:
		return nil, fmt.Sprintf("accuracy_scores is %s; want a list of entries, or a map of them", doc)
	}
	if len(all) == 0 {
		return nil, "there is no entry"
	}
	return all, ""
}

// clash finds entries that are wrong or do not go together.
func clash(all []entry) string {
	seen := map[string]bool{}
	inline := ""
	for i, e := range all {
		switch {
		case e.doc.Kind != lax.Map:
			return fmt.Sprintf("entry %d is %s, want a map", i, e.doc)
		case e.name == "":
			return fmt.Sprintf("entry %d has no dataset_name", i)
		case seen[e.name]:
			return fmt.Sprintf("dataset_name %q is there twice", e.name)
		case e.doc.Get("score") == nil:
			return fmt.Sprintf("entry %q has no score", e.name)
		case e.inline() && inline != "":
			return fmt.Sprintf("%q and %q are both inline entries (dataset_type: performance)", inline, e.name)
		}
		for _, pair := range [][2]string{{"unit_samples", "num_samples"}, {"num_repeats", "n_repeats"}} {
			a, b := e.doc.Get(pair[0]), e.doc.Get(pair[1])
			if a != nil && b != nil && !lax.Equal(a, b) {
				return fmt.Sprintf("entry %q: %s is %s, but %s is %s", e.name, pair[0], a, pair[1], b)
			}
		}
		if seen[e.name] = true; e.inline() {
			inline = e.name
		}
	}
	return ""
}

// number is a score: a number, or the first number of a map.
func number(v *lax.Value) (float64, bool) {
	if v == nil || v.Kind != lax.Map {
		return v.Number()
	}
	for _, f := range v.Fields {
		if n, ok := f.Value.Number(); ok {
			return n, true
		}
	}
	return 0, false
}

// accuracy applies the gates.
func (c *checker) accuracy(v *curve) {
	groups := c.bands(v)
	switch {
	case !v.agentic:
		c.warn("accuracy-gate", "none", v.model.Path, "For an agentic curve give every point load pattern "+agenticPattern+".", "the curve is not agentic, so its accuracy was not held to any threshold")
		return
	case v.target == nil:
		c.warn("agentic-accuracy", "none", v.model.Path, "Use one of the agentic models.", "there are no agentic thresholds for %q", v.model.Name)
		return
	}
	c.inline(v)
	if groups != nil {
		c.sweBench(v, groups)
	}
	c.outputLength(v)
}

// accuracyRuns are the points with an entry that is not the inline one, by concurrency. Of several at one concurrency the last counts;
// a dedicated Offline point takes no part.
func (v *curve) accuracyRuns() []*point {
	var runs []*point
	for _, p := range v.points {
		if p.text("offline") == dedicated || !slices.ContainsFunc(p.scores, func(s score) bool { return !s.inline }) {
			continue
		}
		runs = slices.DeleteFunc(runs, func(q *point) bool { return q.concurrency == p.concurrency })
		runs = append(runs, p)
	}
	slices.SortStableFunc(runs, func(a, b *point) int { return a.concurrency - b.concurrency })
	return runs
}

// percent compares as the rules print: a fraction of 0.5586 is 55.86.
func percent(fraction float64) float64 { return fraction * 100 }

// below compares with a threshold; rounding of a product in float64 does not count.
func below(have, want float64) bool { return have < want-1e-9 }

func fraction(f float64) bool { return f >= 0 && f <= 1 }

func (c *checker) inline(v *curve) {
	var without []string
	for _, p := range v.usable() {
		i := slices.IndexFunc(p.scores, func(s score) bool { return s.inline && s.scored })
		if i < 0 {
			without = append(without, p.Dir)
			continue
		}
		s := p.scores[i]
		switch {
		case !fraction(s.value):
			c.fail("agentic-accuracy-inline", "no-fraction", p.Accuracy.Path, "Write a fraction, not a percentage.", "%s: the inline score is %g; want a fraction from 0 to 1", p.Dir, s.value)
		case below(percent(s.value), v.target.InlinePercent):
			c.fail("agentic-accuracy-inline", "low", p.Accuracy.Path, "Find out what makes the answers worse, and measure again.",
				"%s: inline accuracy is %.2f %%, below the %.2f %% for %s", p.Dir, percent(s.value), v.target.InlinePercent, v.target.Name)
		default:
			c.pass("agentic-accuracy-inline", p.Accuracy.Path, "%s: inline accuracy is %.2f %%", p.Dir, percent(s.value))
		}
	}
	if len(without) > 0 {
		c.fail("agentic-accuracy-inline", "missing", v.model.Path, "Add the entry with dataset_type: performance to accuracy_results.json.",
			"no inline score at %s; every point needs one", quoted(without))
	}
}

func (c *checker) outputLength(v *curve) {
	for _, p := range v.usable() {
		if p.sum == nil {
			continue
		}
		const field = "output_sequence_lengths_full_run.output_sequence_lengths.avg"
		f := p.sum.At("output_sequence_lengths_full_run", "output_sequence_lengths", "avg")
		mean, ok := f.Number()
		if !ok || f.Kind == lax.Text {
			c.warn("agentic-osl-range", "missing", p.Summary.Path, "Write it; the window's output_sequence_lengths does not stand in for it.", "%s: result_summary.json has no %s", p.Dir, field)
			continue
		}
		if b := v.target.OutputTokens; !(mean >= b.Min && mean <= b.Max) {
			c.fail("agentic-osl-range", "outside", p.Summary.Path, "Find out why answers are longer or shorter than the reference's, and measure again.",
				"%s: the full run's mean output length is %.6g tokens per turn, outside %g to %g for %s", p.Dir, mean, b.Min, b.Max, v.target.Name)
			continue
		}
		c.pass("agentic-osl-range", p.Summary.Path, "%s: the mean output length is %.6g tokens per turn", p.Dir, mean)
	}
}
