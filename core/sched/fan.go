package sched

import (
	"context"

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

// newFan goes on with a conversation whose first turns, so many, were played one after another.
func newFan(c *conversation, played int) *fan {
	f := &fan{
		conversation: c, nodes: make([]node, played, len(c.turns)), story: map[uint32]*chat.History{},
		landed: make(chan *flight), quit: make(chan struct{}),
	}
	switch {
	case c.stories != nil:
		f.story = c.stories
	case played > 0:
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

func (f *fan) quitted() bool {
	select {
	case <-f.quit:
		return true
	default:
		return false
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
