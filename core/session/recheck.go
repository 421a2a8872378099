package session

import (
	"context"
	"sync"
	"time"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/sched"
)

// Bounds of asking again: a target that hangs must not hold the run, and one that is silent always needs no proof each time.
const (
	recheckTimeout = 30 * time.Second // or twice the time that the turn itself took, where that is more
	recheckBudget  = 5 * time.Minute  // for all of them
	recheckTurns   = 64
)

// silentTurns remembers the requests of turns that ended without a word. A request's body is a list of fragments that its
// history shares, so that remembering one costs little.
type silentTurns struct {
	now func() sample.Offset

	mu   sync.Mutex
	list []silentTurn
}

type silentTurn struct {
	id       sample.ID
	asked    sched.Issuer // where it was sent
	request  *chat.Request
	exchange *sample.Exchange // until its sample names it
	limit    time.Duration
}

// listening is one target's Issuer, whose silent turns are remembered.
type listening struct {
	sched.Issuer
	silent *silentTurns
}

// Issue implements sched.Issuer.
func (l listening) Issue(ctx context.Context, r *chat.Request, x *sample.Exchange) {
	l.Issuer.Issue(ctx, r, x)
	if r.Stream && x.Silent() {
		l.silent.remember(l.Issuer, r, x)
	}
}

func (t *silentTurns) remember(asked sched.Issuer, r *chat.Request, x *sample.Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) < recheckTurns {
		took, _ := x.Timing.Done.Since(x.Timing.Sent)
		t.list = append(t.list, silentTurn{asked: asked, request: r, exchange: x, limit: max(recheckTimeout, 2*took)})
	}
}

// name gives a remembered request the identity of its turn.
func (t *silentTurns) name(s *sample.Sample) {
	if !s.Silent() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.list {
		if t.list[i].exchange == &s.Exchange {
			t.list[i].id, t.list[i].exchange = s.ID, nil
		}
	}
}

// recheck sends each remembered request once more, one after another and not streamed, and records what the target told.
// The load is over, so no figure feels it.
func (t *silentTurns) recheck(ctx context.Context, w *journal.Writer) {
	ctx, cancel := context.WithTimeout(ctx, recheckBudget)
	defer cancel()
	for _, s := range t.list {
		whole, err := s.request.Whole()
		if err != nil || s.exchange != nil || ctx.Err() != nil {
			continue
		}
		r := &sample.Recheck{ID: s.id, At: t.now()}
		x := sample.Exchange{Timing: sample.NoTiming()}
		s.ask(ctx, whole, &x)
		r.Outcome, r.Status, r.Cause = x.Outcome, x.Status, x.Cause
		w.Rechecked(r)
	}
}

func (s *silentTurn) ask(ctx context.Context, r *chat.Request, x *sample.Exchange) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	s.asked.Issue(ctx, r, x)
}
