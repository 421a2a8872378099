package pack

import (
	"slices"

	"paceline/mlperf/describe"
	"paceline/mlperf/export"
	"paceline/mlperf/rules"
)

// describeSystem reads and completes the description of the system; its text is what the package keeps of it.
func describeSystem(o *Options, out *reasons) (*describe.Description, []byte) {
	if len(o.System) == 0 {
		out.add("", "runner submit template --out system.yaml makes one to fill in; then --system system.yaml", "the system is not described")
		return nil, nil
	}
	text, err := describe.Join(o.System...)
	if err != nil {
		out.add("", "mend the file", "%v", err)
		return nil, nil
	}
	if text, err = describe.Set(text, "organization", o.Organization, "submission", o.Submission, "system.division", division(o.Division)); err != nil {
		out.add("", "mend the file", "%v", err)
		return nil, nil
	}
	d, err := describe.Parse(text)
	if err == nil {
		_, err = d.Check()
	}
	for _, e := range flat(err) {
		out.add("", "in "+o.System[len(o.System)-1], "%v", e)
	}
	if err != nil {
		return nil, nil
	}
	return d, text
}

// division is its word as files have it.
func division(word string) string {
	for _, d := range []string{describe.Standardized, describe.Serviced, describe.RDI} {
		if len(d) == len(word) && slices.EqualFunc([]byte(d), []byte(word), func(a, b byte) bool { return a|32 == b|32 }) {
			return d
		}
	}
	return word
}

// flat lists the errors that were joined.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range many.Unwrap() {
			list = append(list, flat(e)...)
		}
		return list
	}
	return []error{err}
}

// bind finds the cohort and its seeds: those that were asked for, else those that the runs were made for. No set is guessed.
func bind(runs []*export.Run, o *Options, out *reasons) (rules.Cohort, rules.SeedSet) {
	sets, err := rules.KnownSeedSets(o.SeedSets)
	if err != nil {
		out.add("", "mend the file", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	asked := o.Cohort
	for _, r := range runs {
		if asked == "" && r.Seeds != nil {
			asked = r.Seeds.Target
		}
	}
	if asked == "" {
		out.add("", "give --cohort, e.g. --cohort 2026-12-C0", "the cohort is not known")
		return rules.Cohort{}, rules.SeedSet{}
	}
	c, err := rules.ParseCohort(asked)
	if err != nil {
		out.add("", "--cohort", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	set, err := sets.For(c)
	if err != nil {
		out.add("", "--seed-sets FILE tells of newer sets", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	for _, r := range runs {
		if r.Seeds == nil {
			continue
		}
		if set, err = sets.Find(r.Seeds.ID); err != nil {
			out.add(label(r), "--seed-sets FILE tells of newer sets", "%v", err)
		} else if !set.Serves(c) {
			out.add(label(r), "play the point again for that cohort", "it is bound to seed set %s, which may not be used for cohort %s", set.ID, c)
		}
	}
	return c, set
}

// checkPlaces holds the points to the curve's regions.
func checkPlaces(runs []*export.Run, d *describe.Description, out *reasons) {
	var all []int
	for _, r := range runs {
		all = append(all, r.Concurrency())
	}
	regions, err := curve(all, d)
	if err != nil {
		out.add("", "system.max_supported_concurrency, system.c_min_override", "%v", err)
		return
	}
	for _, r := range runs {
		if _, ok := regions.Of(r.Concurrency()); !ok {
			out.add(label(r), "leave it out, or declare a higher maximum", "concurrency %d lies above the margin of the declared maximum %d", r.Concurrency(), regions.CMax)
		}
	}
}
