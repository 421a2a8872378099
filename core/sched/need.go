// Package sched gives users work: it takes trajectories in plan order, prefetches them, plays each conversation's turns
// one after another, or on branches as soon as what they wait for is complete, waits tool delays, and hands one record of
// everything to the Recorder. It declares what it needs; nothing it calls between Due and Sent may block on anything but the
// target.
package sched

import (
	"context"
	"errors"
	"fmt"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// Source makes trajectories. Plan may be called ahead of need and from several goroutines. What it returns without an
// error has passed trajectory.Check. A failure is final: the source has asked its plugin once more, in a fresh instance.
type Source interface {
	Plan(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error)
}

// Folder makes a live conversation's next step out of its state and the last answer. It is asked once per completed turn,
// one call at a time per conversation, in completion order.
type Folder interface {
	Next(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error)
}

// Issuer sends one request and fills x, whatever happens: it never gives an error beside the outcome in x. It stamps
// Sent, BodySent, FirstByte, FirstToken, FirstAnswer, LastToken, Done and the connecting span as offsets from the epoch
// that it was made with; Due is the caller's. It returns soon after ctx ends, with outcome cancelled or timeout.
type Issuer interface {
	Issue(ctx context.Context, req *chat.Request, x *sample.Exchange)
}

// Recorder takes what happened. Calls never block and never fail: a record that cannot be kept is counted as lost by the
// Recorder. What is handed over is not written to afterwards.
type Recorder interface {
	PlannedIn(workload string, t *trajectory.Trajectory, repeat uint32)
	Started(c *sample.Conversation)
	Sent(id sample.ID, at sample.Offset, bytes int64)
	Sampled(s *sample.Sample)
	Stepped(id sample.ID, next *trajectory.Step, start, done sample.Offset)
	Ended(c *sample.Conversation)
	Phase(p sample.Phase, at sample.Offset)
}

// Tokenizer has the target count the tokens of a text, which is the inside of a JSON string, outside the load. It is asked
// between turns, and returns soon after ctx ends.
type Tokenizer interface {
	Tokens(ctx context.Context, text []byte) (uint64, error)
}

// Skipper is a Recorder that keeps trajectories which were planned and are not played, in place of PlannedIn.
type Skipper interface {
	SkippedIn(workload string, t *trajectory.Trajectory, repeat uint32, why sample.Skipped)
}

// Asked is what asks one of several targets.
type Asked struct {
	Issuer    Issuer
	Tokenizer Tokenizer // as in Needs
}

// Needs is what a run works with.
type Needs struct {
	Source    Source
	Folder    Folder            // live workloads only
	Workloads map[string]Supply // in place of both, of a mix: by the workloads' names
	Issuer    Issuer
	Tokenizer Tokenizer // nil: newest answers are taken for what they are expected to have
	Targets   []Asked   // in place of both, of a run with several targets: in their order
	Recorder  Recorder
	Progress  *Progress       // nil: nobody looks on
	Abort     <-chan struct{} // closed: cut open turns at once; nil: never
}

func (n *Needs) check(c *Config) error {
	var errs []error
	if n.Recorder == nil {
		errs = append(errs, errors.New("a recorder is needed"))
	}
	errs = append(errs, n.checkTargets(c))
	for _, m := range c.members() {
		s := n.supply(c, m.Workload)
		if s.Source == nil {
			errs = append(errs, fmt.Errorf("workload %s: a source is needed", m.Workload))
		}
		if m.Info.Live && s.Folder == nil {
			errs = append(errs, fmt.Errorf("workload %s: a live workload needs a folder", m.Workload))
		}
	}
	return errors.Join(errs...)
}

// supply is where the trajectories of a workload come from.
func (n *Needs) supply(c *Config, workload string) Supply {
	if c.mixed() {
		return n.Workloads[workload]
	}
	return Supply{n.Source, n.Folder}
}
