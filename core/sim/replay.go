package sim

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Turn is one request of an agent run of which only lengths are known.
type Turn struct {
	Wait   time.Duration // after the answer before it
	Append int           // tokens that join the history, the answer before them apart
	Answer int           // tokens
}

// Replay plays agent runs of known lengths to an engine without a server, a client or a clock: the steps are those of a Server,
// each begins where the one before it ended, and nothing sleeps. Answers join the history, as token ids do: what was computed of
// a run is found again by its next turn while the cache has it. Two runs share no tokens.
//
// A request that is due while a step lasts waits for the next one; so does one that is due at the very instant at which a step
// ends, since the answer that made it due has to reach the client first.
type Replay struct {
	Config Config
	// Users says when each user starts. A user plays one run after another, without a gap.
	Users []time.Duration
	// Next gives the next run. It is asked by the users as they need one, in the order of virtual time.
	Next func() []Turn
	// Warmup is not measured; Measure comes after it. What is measured begins with the first step, or time without work, that begins
	// after the warm-up.
	Warmup, Measure time.Duration
}

// ErrNoTurns tells of a run of Next that has none.
var ErrNoTurns = errors.New("a run has no turns")

// Run plays until the measured time is over. Equal fields give equal results.
func (r Replay) Run(ctx context.Context) (Replayed, error) {
	if err := r.check(); err != nil {
		return Replayed{}, fmt.Errorf("replay: %w", err)
	}
	p := newPlayer(r)
	for p.now < p.end {
		if err := context.Cause(ctx); err != nil {
			return Replayed{}, err
		}
		if err := p.step(); err != nil {
			return Replayed{}, fmt.Errorf("replay: %w", err)
		}
	}
	if !p.counted { // no work since before the end of the warm-up
		return Replayed{}, nil
	}
	return p.replayed(), nil
}

func (r Replay) check() error {
	errs := []error{r.Config.Check()}
	if len(r.Users) == 0 {
		errs = append(errs, errors.New("there is no user"))
	}
	for i, start := range r.Users {
		if start < 0 {
			errs = append(errs, fmt.Errorf("user %d starts at %v", i, start))
		}
	}
	if r.Warmup < 0 || r.Measure <= 0 {
		errs = append(errs, fmt.Errorf("a warm-up of %v and a measured time of %v", r.Warmup, r.Measure))
	}
	return errors.Join(errs...)
}

// player is a replay that runs.
type player struct {
	engine  *engine
	next    func() []Turn
	runs    uint64
	users   users   // that wait, the next one first
	asking  []*user // whose requests the engine has
	now     time.Duration
	warm    time.Duration
	end     time.Duration
	tally   tally
	counted bool // the warm-up is over
	before  Stats
}

func newPlayer(r Replay) *player {
	p := &player{engine: newEngine(r.Config.withDefaults()), next: r.Next, warm: r.Warmup, end: r.Warmup + r.Measure}
	for i, start := range r.Users {
		p.users.add(&user{number: i, due: start})
	}
	return p
}

// step plays one step of the engine, or the time until it has work.
func (p *player) step() error {
	if !p.counted && p.now >= p.warm {
		p.counted, p.before, p.tally = true, p.engine.stats, tally{}
	}
	w, busy := p.engine.plan()
	if !busy {
		return p.idle()
	}
	took := time.Duration(float64(p.engine.config.Cost.step(w)) * p.engine.config.TimeScale)
	p.tally.step(p.engine, w, took)
	if err := p.submit(p.now + took); err != nil { // before apply, which lets answers out at the end
		return err
	}
	p.now += took
	p.engine.apply()
	p.collect()
	return nil
}

var errStuck = errors.New("the engine has requests and does no work")

// idle passes the time until the next request.
func (p *player) idle() error {
	if p.users.Len() == 0 {
		return errStuck
	}
	at := max(p.users.first().due, p.now)
	p.tally.idle(p.engine, min(at, p.end)-p.now)
	p.now = at
	return p.submit(at)
}

// submit queues the requests that are due up to now, in their order.
func (p *player) submit(until time.Duration) error {
	for p.users.Len() > 0 && p.users.first().due <= until {
		u := p.users.take()
		if err := p.ask(u); err != nil {
			return err
		}
	}
	return nil
}

// collect sends the users whose answers are complete on their way.
func (p *player) collect() {
	kept := p.asking[:0]
	for _, u := range p.asking {
		if u.sequence.done.Load() {
			p.tally.Requests++
			u.answered(p.now)
			p.users.add(u)
		} else {
			kept = append(kept, u)
		}
	}
	p.asking = kept
}
