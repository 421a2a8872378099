package sched

import (
	"sync/atomic"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
)

// Progress is what a run has done so far. The run writes it, anyone may read it at any time; numbers that are read one
// after another need not be of one instant. All of it counts from the run's beginning.
type Progress struct {
	asked, users, inFlight         atomic.Int64
	total, started, ended, broken  atomic.Int64
	ok, failed, cancelled, notSent atomic.Int64
	planned, output                atomic.Int64
	waits, waitNanos               atomic.Int64
	clientNanos, sent              atomic.Int64
	cuts, rewrites                 atomic.Int64

	following atomic.Pointer[following]
}

// following is a number of users that changes with time.
type following struct {
	users load.Pattern
	start time.Time
}

// follow lets Asked go along with the pattern from the start of the load.
func (p *Progress) follow(users load.Pattern, start time.Time) {
	if users.Changes() {
		p.following.Store(&following{users, start})
	}
}

func (p *Progress) askedNow() int64 {
	if f := p.following.Load(); f != nil {
		return int64(f.users.Users(time.Since(f.start)))
	}
	return p.asked.Load()
}

// Counts is one reading of a Progress.
type Counts struct {
	Asked    int64 // users that the load asks for
	Users    int64 // with a conversation
	InFlight int64 // turns

	Conversations int64 // to be started in all, warm-up included; -1: not known
	Started       int64 // conversations, broken ones included
	Ended         int64
	Broken        int64 // could not be played, or broke off, for a fault of their plugin

	TurnsPlanned   int64 // of the conversations that were started
	TurnsSent      int64
	TurnsOK        int64
	TurnsFailed    int64
	TurnsCancelled int64
	TurnsNotSent   int64
	OutputTokens   int64 // as the target told, of good turns

	PlanWaits     int64 // times a user waited for a plan
	PlanWaitNanos int64
	ClientNanos   int64 // sum over turns: Sent - Due, without connecting
	DelaysCut     int64
	Rewrites      int64 // ids of tool results that were replaced
}

// Counts reads every counter.
func (p *Progress) Counts() Counts {
	return Counts{
		Asked: p.askedNow(), Users: p.users.Load(), InFlight: p.inFlight.Load(),
		Conversations: p.total.Load(), Started: p.started.Load(), Ended: p.ended.Load(), Broken: p.broken.Load(),
		TurnsPlanned: p.planned.Load(), TurnsSent: p.sent.Load(), TurnsOK: p.ok.Load(), TurnsFailed: p.failed.Load(),
		TurnsCancelled: p.cancelled.Load(), TurnsNotSent: p.notSent.Load(), OutputTokens: p.output.Load(),
		PlanWaits: p.waits.Load(), PlanWaitNanos: p.waitNanos.Load(), ClientNanos: p.clientNanos.Load(),
		DelaysCut: p.cuts.Load(), Rewrites: p.rewrites.Load(),
	}
}

func (p *Progress) begin(c *Config) {
	p.asked.Store(int64(c.Users.Users(0)))
	p.total.Store(-1)
	if n := c.total(); n != load.Endless {
		p.total.Store(int64(n))
	}
}

// turn counts one turn that was sent.
func (p *Progress) turn(s *sample.Sample) {
	switch {
	case s.Outcome == sample.OK:
		p.ok.Add(1)
		if s.Answer != nil {
			p.output.Add(int64(s.Answer.Usage.CompletionTokens))
		}
	case s.Outcome == sample.Cancelled:
		p.cancelled.Add(1)
	default:
		p.failed.Add(1)
	}
	if late, ok := s.Timing.Sent.Since(s.Timing.Due); ok {
		p.clientNanos.Add(max(0, int64(late-s.Timing.Connecting())))
	}
	if s.DelayCut > 0 {
		p.cuts.Add(1)
	}
	p.rewrites.Add(int64(s.Rewrites))
}
