package metrics

import "slices"

// Mixed is one workload of a run that mixes several, and how it was played.
type Mixed struct {
	Name string
	// LiveHistory says of it what Config.LiveHistory says of the one workload.
	LiveHistory bool
	// Tenant is who its conversations are for; empty: their label tenant tells, else the workload's own name.
	Tenant string
	// Objectives are in place of Config.Objectives for its turns and trajectories; nil: those hold.
	Objectives []Objective
}

// OfWorkload are the figures of one workload of a mix, in the window of the whole run. Users are those of the whole run,
// which it shares with the others.
type OfWorkload struct {
	Name         string       `json:"name"`
	Throughput   Throughput   `json:"throughput"`
	Turns        Turns        `json:"turns"`
	Trajectories Trajectories `json:"trajectories"`
	Concurrency  Concurrency  `json:"concurrency"`
	Failures     Failures     `json:"failures"`
	Answers      Answers      `json:"answers"`
	Cache        Cache        `json:"cache"`
	Goodput      *Goodput     `json:"goodput,omitempty"` // where there are objectives
}

// mixedHistory is the history of a mix whose workloads differ in it.
const mixedHistory = "mixed"

// live reports whether the model's own answers are sent back in a workload.
func (d *data) live(workload string) bool {
	for _, w := range d.Workloads {
		if w.Name == workload {
			return w.LiveHistory
		}
	}
	return d.LiveHistory
}

// history tells whether answers are sent back: recorded, live, or mixed where workloads differ.
func (d *data) history() string {
	live := d.LiveHistory
	for i, w := range d.Workloads {
		if i > 0 && w.LiveHistory != live {
			return mixedHistory
		}
		live = w.LiveHistory
	}
	return why(live, "live", "recorded")
}

// only is the data of some workloads. Instants and users stay those of the whole run.
func (d *data) only(names []string) *data {
	part := d.part(func(c *conversation) bool { return slices.Contains(names, c.Workload) })
	part.Workloads = slices.DeleteFunc(slices.Clone(d.Workloads), func(w Mixed) bool { return !slices.Contains(names, w.Name) })
	return part
}

// workloads splits the figures of a mix; nil where there is one workload.
func (d *data) workloads(w Window) []OfWorkload {
	if len(d.Workloads) < 2 {
		return nil
	}
	list := make([]OfWorkload, 0, len(d.Workloads))
	for _, m := range d.Workloads {
		part := d.only([]string{m.Name})
		list = append(list, OfWorkload{
			Name: m.Name, Throughput: part.throughput(w), Turns: part.turnFigures(w), Trajectories: part.trajectories(w),
			Concurrency: part.concurrency(w), Failures: part.failures(w), Answers: part.answers(w), Cache: part.cache(w),
			Goodput: part.goodputIfAsked(w),
		})
	}
	return list
}

// ComputeOf makes the metrics of some workloads of a mix, in the windows of the whole run: what a judge gets that sees no
// other workload. Without names they are the metrics of the run.
func ComputeOf(in *Input, names []string) *Metrics {
	d := join(in)
	windows, chosen := d.windows()
	start := d.start()
	if len(names) > 0 {
		d = d.only(names)
	}
	return d.compute(windows, chosen, start)
}
