package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"paceline/core/trajectory"
)

// Over says what becomes of a trajectory with a turn beyond the longest context.
type Over string

// What may become of it.
const (
	Skip     Over = "skip"     // it is not started; the next one takes its place
	Truncate Over = "truncate" // older turns are left out of the requests that would be too long
	End      Over = "end"      // it is played up to the last turn that fits
	Fail     Over = "fail"     // it is refused
)

// Reach says how much of trajectories is played. The zero Reach is all of them, from their first turn to their last.
type Reach struct {
	// Spread lets each user's first conversation begin at a drawn position inside its trajectory, so that the load looks from
	// its start as it does in the middle of a long run. Closed loop only.
	Spread bool
	// Last plays of each trajectory its last turn alone, with all that came before in the history.
	Last bool
	// MaxContext is the most tokens that a turn's prompt and its answer may have; 0: no limit.
	MaxContext int64
	Over       Over // with MaxContext
	// Without are trajectories that are known not to fit and are skipped: by workload, rising. Fixed workloads only.
	Without map[string][]uint64
	// Sizer measures texts in place of the estimate; nil: they are estimated.
	Sizer Sizer
}

// checkReach reports what is wrong with how much of trajectories is to be played.
func (c *Config) checkReach() error {
	x := &c.Reach
	var errs []error
	fault := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New(text))
		}
	}
	live := slices.ContainsFunc(c.members(), func(m Member) bool { return m.Info.Live })
	fault(x.Spread && c.Arrivals.Open(), "start: spread is for a closed loop: where conversations arrive by themselves no user has a first one")
	fault(x.Spread && x.Last, "start: spread and replay: last exclude each other: of a last turn nothing lies before its beginning")
	fault(x.Last && live, "replay: the last turn of a live agent is not known before it was played")
	fault(x.MaxContext < 0, "longest context: it is negative")
	fault(x.MaxContext > 0 && !slices.Contains([]Over{Skip, Truncate, End, Fail}, x.Over),
		fmt.Sprintf("over context: %q is none of skip, truncate, end and fail", x.Over))
	fault(x.MaxContext > 0 && live && (x.Over == Truncate || x.Over == End), "over context: a live agent's turns are not known beforehand: only skip and fail are possible")
	return errors.Join(errs...)
}

// reach settles how much of a plan's trajectory is played. An error refuses the trajectory.
func (r *run) reach(ctx context.Context, m *member, p *plan) error {
	x := &r.config.Reach
	p.to = len(p.trajectory.Turns)
	if x.MaxContext > 0 {
		if err := r.fit(ctx, m, p); err != nil {
			return err
		}
	}
	if x.Last && p.skipped == nil {
		p.from = p.entry(p.to - 1)
		if i := unanswered(m, p.trajectory.Turns[:p.from]); i >= 0 {
			return fmt.Errorf("turn %d has no recorded answer and no planned length of one, so that by live history nothing stands before the last turn (history: recorded plays it)",
				p.trajectory.Turns[i].Index)
		}
	}
	return nil
}

// turns are those that a conversation may play.
func (p *plan) turns() []trajectory.Turn { return p.trajectory.Turns[:p.to] }

// entry is the last place up to i at which a conversation may begin: a turn of the main line while no other branch goes on, so
// that all before it is done and nothing behind it has begun.
func (p *plan) entry(i int) int {
	if p.graph == nil {
		return i
	}
	joints := p.graph.Joints()
	for ; i > 0; i-- {
		if p.trajectory.Turns[i].Branch == 0 && joints[i] {
			return i
		}
	}
	return 0
}
