package journal

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"paceline/core/sample"
)

// maxRecovered bounds the samples that reading may complete, so that a forged journal cannot fill the memory.
const maxRecovered = 10_000_000

// convKey names one conversation. The index belongs to it, since a conversation whose plan failed has no trajectory.
type convKey struct {
	workload, trajectory string
	index                uint64
	repeat, attempt      uint32
}

func keyOf(id sample.ID) convKey {
	return convKey{id.Workload, id.Trajectory, id.Index, id.Repeat, id.Attempt}
}

// turnKey names one planned turn.
type turnKey struct {
	convKey
	turn uint32
}

// planKey names one planned trajectory.
type planKey struct {
	workload, trajectory string
	repeat               uint32
}

// join makes one run out of its segments.
func join(parts []*segment) (*Run, error) {
	run := &Run{}
	var good []*segment
	for _, s := range parts {
		run.Torn += s.torn
		run.Unknown += s.unknown
		run.Damage = append(run.Damage, s.damage...)
		run.Foot = s.foot
		if s.foot == nil {
			run.Incomplete = true
		}
		if s.head != nil {
			good = append(good, s)
		}
	}
	if len(good) == 0 {
		return nil, errors.Join(errHead, damageErrors(run.Damage))
	}
	run.Epoch = good[0].head.Epoch
	for _, s := range good {
		if s.head.Epoch.Before(run.Epoch) {
			run.Epoch = s.head.Epoch
		}
	}
	j := joiner{run: run, open: map[convKey]int{}, seen: map[turnKey]int{}}
	for _, s := range good {
		s.move(run.Epoch)
		j.add(s)
	}
	slices.SortStableFunc(run.Phases, func(a, b PhaseChange) int { return cmp.Compare(a.At, b.At) })
	if err := j.complete(); err != nil {
		return nil, err
	}
	j.explain()
	slices.SortStableFunc(run.Conversations, func(a, b sample.Conversation) int { return cmp.Compare(a.Start, b.Start) })
	j.sortSamples()
	return run, nil
}

func damageErrors(list []Damage) error {
	var errs []error
	for i := range list {
		errs = append(errs, &list[i])
	}
	return errors.Join(errs...)
}

// joiner puts segments together.
type joiner struct {
	run  *Run
	open map[convKey]int // index in run.Conversations
	seen map[turnKey]int // index in run.Samples
	sent []Sent
}

func (j *joiner) add(s *segment) {
	run := j.run
	run.Heads = append(run.Heads, *s.head)
	run.Plans = append(run.Plans, s.plans...)
	run.Phases = append(run.Phases, s.phases...)
	run.Lives = append(run.Lives, s.lives...)
	run.Facts = append(run.Facts, s.facts...)
	run.Rechecks = append(run.Rechecks, s.again...)
	run.SelfChecks = append(run.SelfChecks, s.checks...)
	run.Telemetry = append(run.Telemetry, s.told...)
	j.sent = append(j.sent, s.sent...)
	for _, c := range s.starts {
		c.State, c.End = sample.Interrupted, sample.Unset
		if at, again := j.open[keyOf(c.ID)]; again {
			j.conflict(s, fmt.Sprintf("conversation %s starts twice", name(run.Conversations[at].ID)))
			continue
		}
		j.open[keyOf(c.ID)] = len(run.Conversations)
		run.Conversations = append(run.Conversations, c)
	}
	for _, c := range s.ends {
		if at, ok := j.open[keyOf(c.ID)]; ok {
			run.Conversations[at] = c
			continue
		}
		j.open[keyOf(c.ID)] = len(run.Conversations)
		run.Conversations = append(run.Conversations, c)
	}
	for _, x := range s.samples {
		k := turnKey{keyOf(x.ID), x.Turn}
		if _, again := j.seen[k]; again {
			j.conflict(s, fmt.Sprintf("conversation %s has two samples of turn %d", name(x.ID), x.Turn))
			continue
		}
		j.seen[k] = len(run.Samples)
		run.Samples = append(run.Samples, x)
	}
}

func (j *joiner) conflict(s *segment, reason string) {
	j.run.Damage = append(j.run.Damage, Damage{File: s.name, Reason: reason})
}

func name(id sample.ID) string {
	return fmt.Sprintf("%s of %s, repeat %d, attempt %d", id.Trajectory, id.Workload, id.Repeat, id.Attempt)
}

// complete adds what the journal does not hold, so that no planned turn of a started conversation is missing.
func (j *joiner) complete() error {
	run := j.run
	before := len(run.Samples)
	turns := j.turnsOf()
	for _, s := range j.sent {
		x := sample.Sample{ID: s.ID, RequestBytes: s.Bytes, Phase: j.phase(s.At)}
		x.Outcome, x.Timing = sample.Unfinished, sample.NoTiming()
		x.Timing.Sent = s.At
		j.fill(x)
	}
	for i := range run.Conversations {
		c := &run.Conversations[i]
		list := turns(c.ID)
		if len(run.Samples)-before+len(list) > maxRecovered {
			return fmt.Errorf("more than %d turns have no sample", maxRecovered)
		}
		for _, t := range list {
			x := sample.Sample{ID: c.ID, Phase: j.phase(c.End)}
			x.Turn, x.Branch = t.index, t.branch
			x.Outcome, x.Cause, x.Timing = sample.NotSent, sample.CauseRunnerDied, sample.NoTiming()
			if c.State != sample.Interrupted { // it ended in order, so this turn's own record got lost
				x.Outcome, x.Cause = sample.Unfinished, "no record of it in the journal"
			}
			j.fill(x)
		}
	}
	run.Recovered = int64(len(run.Samples) - before)
	return nil
}

// explain lets the rechecks tell why turns ended without a word, before their conversations are counted.
func (j *joiner) explain() {
	for i := range j.run.Rechecks {
		r := &j.run.Rechecks[i]
		at, ok := j.seen[turnKey{keyOf(r.ID), r.Turn}]
		if !ok {
			continue
		}
		x := &j.run.Samples[at]
		x.Explain(r)
		of, ok := j.open[keyOf(r.ID)]
		if !ok || x.Outcome != sample.ContextOverflow {
			continue
		}
		if c := &j.run.Conversations[of]; c.State == sample.Failed {
			c.State, c.Cause = sample.Overflow, fmt.Sprintf("turn %d: %s", r.Turn, x.Outcome)
		}
	}
}

func (j *joiner) fill(x sample.Sample) {
	k := turnKey{keyOf(x.ID), x.Turn}
	if _, ok := j.seen[k]; ok {
		return
	}
	j.seen[k] = len(j.run.Samples)
	j.run.Samples = append(j.run.Samples, x)
}

// phase returns the phase at an instant; the last one where it is unset.
func (j *joiner) phase(at sample.Offset) sample.Phase {
	var now sample.Phase
	for _, p := range j.run.Phases {
		if at.Set() && p.At > at {
			break
		}
		now = p.Phase
	}
	return now
}

// turn is one planned turn.
type turn struct{ index, branch uint32 }

func turnList(index, branch []uint32) []turn {
	list := make([]turn, len(index))
	for i := range index {
		list[i].index = index[i]
		if i < len(branch) {
			list[i].branch = branch[i]
		}
	}
	return list
}

// turnsOf returns a function that lists the planned turns of a conversation, of a part only those that it plays, and those
// that a live agent added.
func (j *joiner) turnsOf() func(sample.ID) []turn {
	plans := j.run.PlanIndex()
	live := map[convKey][]turn{}
	for _, l := range j.run.Lives {
		live[keyOf(l.ID)] = append(live[keyOf(l.ID)], turnList(l.Turns, l.Branches)...)
	}
	parts := map[convKey]*sample.Part{}
	for i := range j.run.Conversations {
		if c := &j.run.Conversations[i]; c.Part != nil {
			parts[keyOf(c.ID)] = c.Part
		}
	}
	return func(id sample.ID) []turn {
		var list []turn
		if p := plans.Find(id); p != nil {
			list = turnList(p.Turns, p.Branches)
		}
		if part := parts[keyOf(id)]; part != nil {
			from, to := part.Bounds(len(list))
			list = slices.Clip(list[from:to])
		}
		return append(list, live[keyOf(id)]...)
	}
}

// sortSamples sorts by workload, index, repeat, attempt, and the turns' order in the plan.
func (j *joiner) sortSamples() {
	turns := j.turnsOf()
	rank := map[turnKey]int{}
	for _, c := range j.run.Conversations {
		for i, t := range turns(c.ID) {
			rank[turnKey{keyOf(c.ID), t.index}] = i
		}
	}
	list := j.run.Samples
	order, places := make([]int, len(list)), make([]int, len(list))
	for i := range list {
		order[i], places[i] = i, int(list[i].Turn)
		if r, ok := rank[turnKey{keyOf(list[i].ID), list[i].Turn}]; ok {
			places[i] = r
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		a, b := &list[x].ID, &list[y].ID
		if c := compareConversations(a, b); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(places[x], places[y]), cmp.Compare(a.Turn, b.Turn))
	})
	sorted := make([]sample.Sample, len(list))
	for i, from := range order {
		sorted[i] = list[from]
	}
	j.run.Samples = sorted
}

// compareConversations orders by workload, index, trajectory, repeat and attempt.
func compareConversations(a, b *sample.ID) int {
	if a.Workload != b.Workload {
		return cmp.Compare(a.Workload, b.Workload)
	}
	if a.Index != b.Index {
		return cmp.Compare(a.Index, b.Index)
	}
	return cmp.Or(
		cmp.Compare(a.Trajectory, b.Trajectory), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Attempt, b.Attempt),
	)
}

// PlanIndex finds plans by conversation.
type PlanIndex struct {
	exact map[planKey]*Plan
	any   map[planKey]*Plan // repeat 0 in the key
}

// PlanIndex returns an index over the plans of r; it does not follow later changes of r.
func (r *Run) PlanIndex() PlanIndex {
	x := PlanIndex{map[planKey]*Plan{}, map[planKey]*Plan{}}
	for i := range r.Plans {
		p := &r.Plans[i]
		x.exact[planKey{p.Workload, p.Trajectory, p.Repeat}] = p
		k := planKey{p.Workload, p.Trajectory, 0}
		if old := x.any[k]; old == nil || p.Repeat < old.Repeat {
			x.any[k] = p
		}
	}
	return x
}

// Find returns the plan that a conversation plays: that of its repeat, else the lowest repeat's, since a fixed workload is
// planned once; nil where there is none.
func (x PlanIndex) Find(id sample.ID) *Plan {
	if p := x.exact[planKey{id.Workload, id.Trajectory, id.Repeat}]; p != nil {
		return p
	}
	return x.any[planKey{id.Workload, id.Trajectory, 0}]
}
