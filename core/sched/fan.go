package sched

import (
	"cmp"
	"context"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// fan plays a conversation that branches: each turn once all that it waits for is complete and its delay has passed,
// whatever else of the conversation is in flight. Only the user's goroutine touches it. A turn that took off has a
// goroutine of its own, which knows nothing but its flight and hands it back.
type fan struct {
	*conversation
	nodes  []node                   // by position of the turn
	story  map[uint32]*chat.History // by branch
	ready  []int                    // turns that wait for nothing more, and have not taken off
	landed chan *flight
	out    int           // flights that have not landed
	quit   chan struct{} // closed: no other turn is sent
	off    *breakOff     // why the conversation does not go on
	asked  uint32        // the turn about which a live agent was asked last
}

// node is what the fan knows of one turn beside its plan.
type node struct {
	waits    int           // turns that it still waits for
	free     sample.Offset // when those that it waited for were complete, so far
	complete sample.Offset // when it was itself complete, the step of a live agent included
	sampled  bool
}

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

// newFan goes on with a conversation whose first turns, so many, were played one after another.
func newFan(c *conversation, played int) *fan {
	f := &fan{
		conversation: c, nodes: make([]node, played, len(c.turns)), story: map[uint32]*chat.History{},
		landed: make(chan *flight), quit: make(chan struct{}),
	}
	if played > 0 {
		f.story[0] = c.history
	}
	for i := range f.nodes {
		f.nodes[i] = node{complete: c.free, sampled: true}
	}
	f.grow(c.free)
	return f
}

// grow takes in turns that were added to the conversation at an instant.
func (f *fan) grow(at sample.Offset) {
	for i := len(f.nodes); i < len(f.turns); i++ {
		n := node{free: at, complete: sample.Unset}
		for _, w := range f.graph.Waits[i] {
			if w < len(f.nodes) && f.nodes[w].complete.Set() {
				n.free = max(n.free, f.nodes[w].complete)
			} else {
				n.waits++
			}
		}
		if n.waits == 0 {
			f.ready = append(f.ready, i)
		}
		f.nodes = append(f.nodes, n)
	}
}

// play plays the rest of the conversation and ends it. A conversation that breaks off sends nothing more, and waits for
// what is in flight: cutting it would ease the target's load for the others.
func (f *fan) play(ctx context.Context) {
	f.takeOff(ctx)
	for f.out > 0 {
		for _, x := range f.arrivals() {
			f.land(ctx, x)
			f.takeOff(ctx)
		}
	}
	if f.off == nil && !f.over && f.member.Info.Live {
		f.off = f.stuck(f.asked)
	}
	off := f.off
	if off == nil {
		off = &breakOff{state: sample.Complete, cause: sample.CauseAgentEnded}
	}
	for i := range f.nodes {
		if !f.nodes[i].sampled {
			f.notSent(i, off.cause)
		}
	}
	f.end(off)
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
	x.due = f.nodes[i].free + sample.Offset(f.run.delay(x.s, f.turns[i].Delay))
	branch := f.turns[i].Branch
	h := f.story[branch]
	if h == nil {
		h = f.begin(i)
		f.story[branch] = h
	}
	var off *breakOff
	x.req, x.pairing, off = f.request(i, h)
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

func (f *fan) quitted() bool {
	select {
	case <-f.quit:
		return true
	default:
		return false
	}
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

// breaks ends the conversation. Turns that are not sent get the first cause; a graver state later wins.
func (f *fan) breaks(off *breakOff) {
	switch {
	case f.off == nil && f.over && off.state == sample.Ended:
		return // the agent ended it first
	case f.off == nil:
		f.off = off
		f.silence()
	case gravity(off.state) > gravity(f.off.state):
		f.off.state, f.off.why = off.state, off.why
	}
}

// silence lets no other turn be sent.
func (f *fan) silence() {
	if !f.quitted() {
		close(f.quit)
	}
}

// gravity orders the ends of conversations.
func gravity(s sample.State) int {
	switch s {
	case sample.Broken:
		return 3
	case sample.Failed, sample.Overflow:
		return 2
	case sample.Ended:
		return 1
	default:
		return 0
	}
}
