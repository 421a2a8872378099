package sweep

import (
	"encoding/json"
	"slices"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/report"
)

// shared counts at how many points each plugin and input takes part. What is not at all of them, such as the scorer of the full
// accuracy run, is no part of the curve's one configuration.
type shared struct {
	points int
	parts  map[string]int
}

func pluginKey(p *journal.Plugin) string { return "plugin " + p.Name }

func inputKey(in *journal.Input) string { return "input " + in.Workload + " " + in.Name }

func sharedBy(results map[string]*report.Result) shared {
	s := shared{points: len(results), parts: map[string]int{}}
	for _, r := range results {
		for i := range r.What.Plugins {
			s.parts[pluginKey(&r.What.Plugins[i])]++
		}
		for i := range r.What.Inputs {
			s.parts[inputKey(&r.What.Inputs[i])]++
		}
	}
	return s
}

// setupOf is of what the points of a curve must have in common; nil where it cannot be told.
func setupOf(r *report.Result, of shared) *digest.SHA256 {
	w := r.What
	w.Load.Users, w.Load.Repeats = 0, 0
	w.Salt.Value, w.Seed = "", "" // may be drawn for each point, so that none feeds on another's cache
	w.RunConfig, w.Lock.Digest = nil, nil
	w.Workload.Distinct, w.Workload.Again = 0, nil
	w.Workloads = nil
	w.Plugins = slices.DeleteFunc(slices.Clone(w.Plugins), func(p journal.Plugin) bool { return of.parts[pluginKey(&p)] < of.points })
	w.Inputs = slices.DeleteFunc(slices.Clone(w.Inputs), func(in journal.Input) bool { return of.parts[inputKey(&in)] < of.points })
	text, err := json.Marshal(w)
	if err != nil {
		return nil
	}
	sum := digest.Of(text)
	return &sum
}
