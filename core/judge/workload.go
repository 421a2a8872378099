package judge

import (
	"cmp"
	"encoding/json"
	"slices"

	"paceline/core/chat"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Workload is how the requests of one workload of a mix were made.
type Workload struct {
	Info    trajectory.Info
	History chat.HistoryRule // empty: Recorded, or Live for a live workload
	Params  json.RawMessage  // the run's parameters for this workload, above Config.Params
}

// of tells how the requests of a workload were made.
func (c *Config) of(workload string) Workload {
	w, ok := c.Workloads[workload]
	if !ok {
		w = Workload{Info: c.Info, History: c.History}
	}
	byDefault := chat.Recorded
	if w.Info.Live {
		byDefault = chat.Live
	}
	w.History = cmp.Or(w.History, byDefault)
	return w
}

// mixed reports whether the run has several workloads.
func (c *Config) mixed() bool { return len(c.Workloads) > 0 }

// Of is the part of the material that is of some workloads, for judges that may see no other. It shares the counts; counters
// are asked of the whole.
func (m *Material) Of(workloads []string) *Material {
	part := *m
	part.order = slices.DeleteFunc(slices.Clone(m.order), func(i int) bool {
		return !slices.Contains(workloads, m.c.Run.Samples[i].Workload)
	})
	return &part
}

// goesOn reports whether the sample at a place is of the same workload as the one at from. No batch spans two workloads, so
// that what a reply says of a trajectory is about one of them.
func (m *Material) goesOn(from, place int) bool {
	return m.sample(place).Workload == m.sample(from).Workload
}

// workload is what stands in findings, items and errors about a batch: the workload's name where there are several.
func (m *Material) workload(items []Item) string {
	if !m.c.mixed() || len(items) == 0 {
		return ""
	}
	return items[0].Workload
}

// placeFindings puts the workload into findings about trajectories of it.
func placeFindings(list []verdict.Finding, workload string) []verdict.Finding {
	for i := range list {
		if list[i].Trajectory != "" {
			list[i].Workload = workload
		}
	}
	return list
}

func placeItems(list []verdict.ItemScore, workload string) []verdict.ItemScore {
	for i := range list {
		list[i].Workload = workload
	}
	return list
}
