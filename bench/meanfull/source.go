package main

import (
	"math/rand/v2"
	"time"

	"paceline/core/seed"
	"paceline/core/sim"
	"paceline/workloads/profiles/builtin"
	"paceline/workloads/profiles/shape"
)

// component is the workload whose conversations are played: the same seed gives those that a run plays.
const component = "std/profiles/trace"

// Profile is one profile in both modes.
type Profile struct {
	Name string
	Full shape.Source
	Mean shape.Trace
	// FinalContext is the mean context of the last request, in tokens, over many conversations.
	FinalContext int
}

// contextDraws is how many conversations the mean context is taken over.
const contextDraws = 20_000

func readProfile(name string) (*Profile, error) {
	b, err := builtin.Get(name)
	if err != nil {
		return nil, err
	}
	p := &Profile{Name: name, Full: b.Source}
	shape.Mean(b.Source).Draw(nil, &p.Mean)
	var t shape.Trace
	sum := int64(0)
	for i := range uint64(contextDraws) {
		drawn(p.Full, 0, i, &t)
		sum += finalContext(&t)
	}
	p.FinalContext = int((sum + contextDraws/2) / contextDraws)
	return p, nil
}

// drawn draws a conversation as a run with that seed plans it.
func drawn(s shape.Source, root, index uint64, t *shape.Trace) {
	s.Draw(shape.NewRandom(seed.Derive(root, seed.Plan, []byte(component), seed.Uint(index), seed.Uint(0))), t)
}

func finalContext(t *shape.Trace) int64 {
	n := t.Input
	for _, turn := range t.Turns {
		n += turn.Assistant + turn.Tool
	}
	return n
}

// turns are the requests of a conversation.
func turns(t *shape.Trace) []sim.Turn {
	out := make([]sim.Turn, 0, len(t.Turns)+1)
	next := sim.Turn{Append: int(t.Input)}
	for _, turn := range t.Turns {
		next.Answer = int(turn.Assistant)
		out = append(out, next)
		next = sim.Turn{Append: int(turn.Tool), Wait: time.Duration(turn.Wait) * time.Microsecond}
	}
	next.Answer = int(t.Final)
	return append(out, next)
}

// source gives the conversations of a run: those of its seed, or the mean one again and again. With loose waits each of the mean
// conversation's lasts any time between none and twice its length.
func (p *Profile) source(mode Mode, root uint64, loose bool) func() []sim.Turn {
	if mode == ModeMean {
		random := rand.New(rand.NewPCG(root, 0))
		return func() []sim.Turn {
			list := turns(&p.Mean)
			for i := range list {
				if wait := int64(list[i].Wait); loose && wait > 0 {
					list[i].Wait = time.Duration(random.Int64N(2*wait + 1))
				}
			}
			return list
		}
	}
	index, t := uint64(0), shape.Trace{}
	return func() []sim.Turn {
		drawn(p.Full, root, index, &t)
		index++
		return turns(&t)
	}
}
