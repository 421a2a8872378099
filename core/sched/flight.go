package sched

import (
	"cmp"
	"context"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// flight is one turn that took off: it waits for its time, and is then in the target's hands.
type flight struct {
	turn    int
	due     sample.Offset
	req     *chat.Request
	pairing chat.Pairing
	s       *sample.Sample
	sent    bool
	done    sample.Offset // when its answer was complete
}

// takeOff starts every turn that is ready.
func (f *fan) takeOff(ctx context.Context) {
	for len(f.ready) > 0 && f.off == nil && !f.over {
		i := f.ready[0]
		f.ready = f.ready[1:]
		x, off := f.flight(i)
		if off != nil {
			f.breaks(off)
			return
		}
		f.out++
		go f.fly(ctx, x)
	}
}

// flight makes turn i's request.
func (f *fan) flight(i int) (*flight, *breakOff) {
	x := &flight{turn: i, s: f.sample(i)}
	x.s.Waits, x.s.ForkOf, x.s.Planned = f.waits(i), f.turns[i].ForkOf, f.planned(i)
	x.due = f.nodes[i].free + sample.Offset(f.delay(x.s, i))
	branch := f.turns[i].Branch
	h := f.story[branch]
	if h == nil {
		h = f.begin(i)
		f.story[branch] = h
	}
	var off *breakOff
	x.req, x.pairing, off = f.request(i, h, x.s)
	return x, off
}

// begin is the history that a branch starts with.
func (f *fan) begin(i int) *chat.History {
	if from := f.graph.Fork[i]; from >= 0 {
		return f.forks[from].Fork()
	}
	return f.run.newHistory(f.member)
}

// waits are the turns that turn i waited for, as its sample tells them.
func (f *fan) waits(i int) []uint32 {
	list := f.graph.Waits[i]
	if len(list) == 0 || len(list) == 1 && f.turns[list[0]].Branch == f.turns[i].Branch {
		return nil
	}
	turns := make([]uint32, len(list))
	for k, w := range list {
		turns[k] = f.turns[w].Index
	}
	return turns
}

// fly waits and sends, in a goroutine of its own.
func (f *fan) fly(ctx context.Context, x *flight) {
	var timer *time.Timer
	if f.run.wait(&timer, x.due, f.quit) && !f.quitted() {
		x.sent, x.done = true, f.issue(ctx, x.req, x.s, x.due)
	}
	f.landed <- x
}

// arrivals waits for a flight, and returns all that have landed, in the order of their ends.
func (f *fan) arrivals() []*flight {
	list := []*flight{<-f.landed}
	for {
		select {
		case x := <-f.landed:
			list = append(list, x)
			continue
		default:
		}
		slices.SortFunc(list, func(a, b *flight) int { return cmp.Or(cmp.Compare(a.done, b.done), cmp.Compare(a.turn, b.turn)) })
		return list
	}
}

// land takes in what became of a flight.
func (f *fan) land(ctx context.Context, x *flight) {
	f.out--
	if !x.sent {
		f.breaks(&breakOff{cause: sample.CauseRunEnded, state: sample.Ended})
		return
	}
	s := x.s
	noteResults(s, x.pairing)
	f.noteReach(s, x.turn)
	f.nodes[x.turn].sampled = true
	f.free = max(f.free, x.done)
	var off *breakOff
	switch {
	case s.Outcome != sample.OK:
		off = f.failed(x.turn, s)
	case f.off == nil && !f.over:
		off = f.went(ctx, x)
	}
	f.run.progress.turn(s)
	f.run.need.Recorder.Sampled(s)
	if off != nil {
		f.breaks(off)
	}
}

// went takes a good answer into its branch's history, asks a live agent what it does next, and frees what waited.
func (f *fan) went(ctx context.Context, x *flight) *breakOff {
	if off := f.join(x.turn, f.story[x.s.Branch], x.s); off != nil {
		return off
	}
	at := x.done
	if f.member.Info.Live {
		if off := f.step(ctx, x.turn, x.s); off != nil {
			return off
		}
		f.asked = x.s.Turn
		at = max(at, x.s.Timing.NextDone)
		f.grow(at)
		if f.over {
			f.silence()
		}
	}
	f.nodes[x.turn].complete = at
	for _, i := range f.graph.Then[x.turn] {
		n := &f.nodes[i]
		n.free = max(n.free, at)
		if n.waits--; n.waits == 0 {
			f.ready = append(f.ready, i)
		}
	}
	return nil
}
