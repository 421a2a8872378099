package metrics

import (
	"slices"

	"paceline/core/sample"
	"paceline/core/stats"
)

// Part are the figures of a part of a run, all conversations of one target or of one tenant, in the window of the whole run.
// Users are those of the whole run, which it shares with the other parts; accelerators of a target are its own where they were
// told.
type Part struct {
	Name         string       `json:"name"`
	Workloads    []string     `json:"workloads,omitempty"` // of a tenant in a mix: where its conversations come from
	Shares       Shares       `json:"shares"`
	Throughput   Throughput   `json:"throughput"`
	Turns        Turns        `json:"turns"`
	Trajectories Trajectories `json:"trajectories"`
	Concurrency  Concurrency  `json:"concurrency"`
	Failures     Failures     `json:"failures"`
	Cache        Cache        `json:"cache"`
	Goodput      *Goodput     `json:"goodput,omitempty"` // where there are objectives
	Cost         *Cost        `json:"cost,omitempty"`    // where there are prices
}

// Shares tell how the run was divided: conversations of the whole run, all else of the window.
type Shares struct {
	Asked         *Figure `json:"asked,omitempty"` // of a target: by its weight
	Conversations Figure  `json:"conversations"`   // started
	Turns         Figure  `json:"turns"`           // ended ok inside
	Output        Figure  `json:"output_tokens"`   // arrived inside
	Input         Figure  `json:"input_tokens"`    // of those turns
	InFlight      Figure  `json:"time_in_flight"`  // of its requests, failed ones too
}

// part is the data of some conversations. Instants and users stay those of the whole run.
func (d *data) part(of func(*conversation) bool) *data {
	part := *d
	part.shared = d.users()
	part.convs = slices.DeleteFunc(slices.Clone(d.convs), func(c *conversation) bool { return !of(c) })
	part.turns = slices.DeleteFunc(slices.Clone(d.turns), func(t *turn) bool { return !of(t.conv) })
	there := map[string]bool{}
	for _, c := range part.convs {
		there[c.Workload] = true
	}
	part.Workloads = slices.DeleteFunc(slices.Clone(d.Workloads), func(m Mixed) bool { return !there[m.Name] })
	return &part
}

// figures are those of a part of the run that whole is.
func (d *data) figures(name string, w Window, whole *sums) Part {
	return Part{
		Name: name, Shares: d.sums(w).of(whole), Throughput: d.throughput(w), Turns: d.turnFigures(w), Trajectories: d.trajectories(w),
		Concurrency: d.concurrency(w), Failures: d.failures(w), Cache: d.cache(w), Goodput: d.goodputIfAsked(w),
	}
}

// sums are what shares are made of.
type sums struct {
	conversations, turns, output, input int64
	flight                              int64 // microseconds, so that no sum overflows
	counted, prompted                   bool  // somebody told output and input tokens
}

func (d *data) sums(w Window) *sums {
	s := sums{conversations: int64(len(d.convs))}
	s.output, _ = d.tokenSums(w)
	for _, t := range d.turns {
		if t.Timing.Sent.Set() {
			s.flight += overlap(w, stretch{t.Timing.Sent, t.end}) / 1000
		}
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		s.turns++
		s.counted = s.counted || t.out.ok
		if t.in.ok {
			s.prompted = true
			s.input += t.in.n
		}
	}
	return &s
}

// overlap is how much of a stretch lies in the window.
func overlap(w Window, s stretch) int64 {
	return max(int64(min(s.to, w.Close)-max(s.from, w.Open, sample.Offset(0))), 0)
}

func (s *sums) of(whole *sums) Shares {
	tokens := func(n, all int64, told bool) Figure {
		if !told {
			return Figure{Reason: why(whole.turns > 0, NoUsage, NoSamples)}
		}
		return figure(stats.Ratio(n, all), NoSamples)
	}
	return Shares{
		Conversations: figure(stats.Ratio(s.conversations, whole.conversations), NoSamples),
		Turns:         figure(stats.Ratio(s.turns, whole.turns), NoSamples),
		Output:        tokens(s.output, whole.output, whole.counted),
		Input:         tokens(s.input, whole.input, whole.prompted),
		InFlight:      figure(stats.Ratio(s.flight, whole.flight), NoSamples),
	}
}
