package metrics

import (
	"cmp"
	"slices"

	"paceline/core/sample"
)

// conversation is one replay with its turns in order.
type conversation struct {
	*sample.Conversation
	index  int
	turns  []*turn
	tenant string // empty: it is told nowhere
}

// key identifies a conversation; the user is left out because it does not
// tell two of them apart.
type key struct {
	workload        string
	index           uint64
	trajectory      string
	repeat, attempt uint32
}

func keyOf(id sample.ID) key {
	return key{id.Workload, id.Index, id.Trajectory, id.Repeat, id.Attempt}
}

// data is the input, joined.
type data struct {
	Config
	in    *Input
	convs []*conversation
	turns []*turn
	end   sample.Offset // of the last thing that happened
	// shared is the number of users where this is a part of the run; 0: the whole.
	shared int
}

func join(in *Input) *data {
	d := &data{Config: in.Config.filled(), in: in}
	byKey := make(map[key]*conversation, len(in.Conversations))
	add := func(c *sample.Conversation) *conversation {
		conv := &conversation{Conversation: c, index: len(d.convs)}
		d.convs = append(d.convs, conv)
		byKey[keyOf(c.ID)] = conv
		return conv
	}
	for i := range in.Conversations {
		add(&in.Conversations[i])
	}
	for i := range in.Samples {
		s := &in.Samples[i]
		t := newTurn(s, countAt(in, i), d.CounterFirst)
		t.conv = byKey[keyOf(s.ID)]
		if t.conv == nil { // Its start was lost; the turn still counts.
			t.conv = add(&sample.Conversation{ID: s.ID.Conversation(), Phase: s.Phase, Arrival: sample.Unset, Start: s.Timing.Sent, End: sample.Unset, State: sample.Interrupted})
		}
		t.conv.turns = append(t.conv.turns, t)
		t.position = len(t.conv.turns)
		d.turns = append(d.turns, t)
	}
	for _, c := range d.convs {
		c.tenant = d.tenantOf(c)
	}
	d.close()
	return d
}

// close finds the last instant of the run and when each turn left flight.
func (d *data) close() {
	d.end = max(d.in.Measure, d.in.Drain, 0)
	for _, c := range d.convs {
		d.end = max(d.end, c.Start, c.End)
	}
	for _, t := range d.turns {
		g := &t.Timing
		d.end = max(d.end, g.Sent, g.BodySent, g.FirstByte, g.LastToken, g.Done, g.NextDone)
	}
	for _, t := range d.turns {
		switch {
		case !t.Timing.Sent.Set():
		case t.Timing.Done.Set():
			t.end = t.Timing.Done
		case t.conv.End.Set():
			t.end = max(t.conv.End, t.Timing.Sent)
		default:
			t.end = d.end
		}
	}
}

// stretch is a closed span of time.
type stretch struct{ from, to sample.Offset }

// handover is the longest pause between two conversations of one user that
// does not make it idle.
const handover = 10_000_000

// busy lists when each user had a conversation; pauses up to handover are
// bridged. In open loop a conversation is its own user.
func (d *data) busy() []stretch {
	sorted := slices.Clone(d.convs)
	slices.SortStableFunc(sorted, func(a, b *conversation) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Start, b.Start))
	})
	var all []stretch
	var user uint32
	for _, c := range sorted {
		if !c.Start.Set() {
			continue
		}
		s := stretch{c.Start, c.End}
		if !s.to.Set() {
			s.to = d.end
		}
		last := len(all) - 1
		if !d.OpenLoop && last >= 0 && user == c.User && s.from-all[last].to <= handover {
			all[last].to = max(all[last].to, s.to)
			continue
		}
		all, user = append(all, s), c.User
	}
	return all
}

// users is the number of users that the load asks for, and no more than got a
// conversation.
func (d *data) users() int {
	if d.shared > 0 {
		return d.shared
	}
	seen := make(map[uint32]bool)
	for _, c := range d.convs {
		seen[c.User] = true
	}
	if d.Users > 0 {
		return min(d.Users, len(seen))
	}
	return len(seen)
}
