package session

import (
	"context"
	"fmt"
	"math/rand/v2"

	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// Refolder takes one step of a live conversation in an instance that has taken none before. What it hands to the workload
// of the exchange must be what the journal keeps of one: see steps.
type Refolder interface {
	NextFresh(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error)
}

// steps finds the arguments of recorded calls of Next as the journal gives them back: the state out of the document of the
// step before it, or out of the trajectory's, and the answer out of the turn's sample. A journal keeps an answer byte for
// byte, but for white space between the tokens of unknown response fields and for bytes of headers that are no UTF-8; what
// a workload gets in the first place lacks both.
type steps struct {
	run    *journal.Run
	before []*journal.Live // of each step, the one before it in its conversation; nil for the first
	turns  map[sample.ID]*sample.Sample
	plans  journal.PlanIndex
}

func stepsOf(run *journal.Run) *steps {
	s := &steps{run, make([]*journal.Live, len(run.Lives)), make(map[sample.ID]*sample.Sample, len(run.Samples)), run.PlanIndex()}
	last := map[sample.ID]*journal.Live{}
	for i := range run.Lives {
		l := &run.Lives[i]
		c := l.Conversation()
		s.before[i], last[c] = last[c], l
	}
	for i := range run.Samples {
		s.turns[run.Samples[i].ID] = &run.Samples[i]
	}
	return s
}

// arguments are those of step i; false: the journal lacks some of them.
func (s *steps) arguments(i int) (state []byte, x *sample.Exchange, ok bool) {
	id := s.run.Lives[i].ID
	turn := s.turns[id]
	if turn == nil || turn.Answer == nil || s.run.Content == nil {
		return nil, nil, false
	}
	if before := s.before[i]; before != nil {
		last, err := journal.DecodeStep(s.run.Content, before.Step)
		if err != nil {
			return nil, nil, false
		}
		return last.State, &turn.Exchange, true
	}
	plan := s.plans.Find(id)
	if plan == nil {
		return nil, nil, false
	}
	t, err := journal.DecodeTrajectory(s.run.Content, plan.Content)
	if err != nil {
		return nil, nil, false
	}
	return t.State, &turn.Exchange, true
}

// stepsAgain takes up to replans steps again, of those whose arguments the journal holds, and tells how many.
func (f *Files) stepsAgain(ctx context.Context, random *rand.Rand, lives []int, r Refolder) (int, error) {
	s := stepsOf(f.Run)
	done := 0
	for _, k := range random.Perm(len(lives)) {
		i := lives[k]
		if done == replans {
			break
		}
		state, x, ok := s.arguments(i)
		if !ok {
			continue
		}
		l := &f.Run.Lives[i]
		next, err := r.NextFresh(ctx, state, l.Turn, x)
		var doc journal.Document
		if err == nil {
			doc, err = journal.EncodeStep(&next)
		}
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		done++
		what := fmt.Sprintf("the step after turn %d of trajectory %q, repeat %d", l.Turn, l.Trajectory, l.Repeat)
		if err := same(l.Workload, what, l.Step, doc, err); err != nil {
			return done, err
		}
	}
	return done, nil
}
