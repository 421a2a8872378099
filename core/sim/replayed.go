package sim

import (
	"errors"
	"time"
)

// maxRefused bounds the runs that the engine refuses, since a user whose every run is refused would never come to an end.
const maxRefused = 1_000_000

var errRefused = errors.New("the engine refuses nearly every run: its context or its KV cache is too small for them")

// Replayed is what a replay measured, in the measured time alone.
type Replayed struct {
	Time     time.Duration // measured, to the end of the last step
	Requests int           // answered
	Runs     int           // started
	Refused  int           // runs that ended at a request that does not fit

	PromptTokens int64 // of the requests that the engine started
	CachedTokens int64 // of these, found in the prefix cache
	Computed     int64 // prefilled, after preemption again
	AnswerTokens int64
	Preemptions  int
	Steps        int
	Idle         time.Duration // without any work
	Context      int64         // tokens of context that decoding sequences read, summed over steps
	Pairs        int64         // see the package comment
	Decoded      int64         // sequences that decoded, summed over steps
	UseMean      float64       // share of the KV blocks that running sequences hold, over time
	UseMax       float64
	RunningMean  float64 // sequences, over time
	WaitingMean  float64
}

// tally adds up what Replayed tells.
type tally struct {
	Replayed
	use, running, waiting float64 // times seconds
}

func (t *tally) step(e *engine, w work, took time.Duration) {
	t.Context += int64(w.context)
	t.Pairs += int64(w.pairs)
	t.Decoded += int64(w.decoding)
	t.pass(e, took)
}

func (t *tally) idle(e *engine, took time.Duration) {
	t.Idle += took
	t.pass(e, took)
}

// pass notes the state that lasts so long.
func (t *tally) pass(e *engine, took time.Duration) {
	seconds := took.Seconds()
	use := float64(e.kv.used-e.kv.idleCount) / float64(e.kv.capacity)
	t.Time += took
	t.use += use * seconds
	t.UseMax = max(t.UseMax, use)
	t.running += float64(len(e.running)) * seconds
	t.waiting += float64(len(e.waiting)) * seconds
}

func (p *player) replayed() Replayed {
	out, now := p.tally.Replayed, p.engine.stats
	out.PromptTokens = now.PrefixQueries - p.before.PrefixQueries
	out.CachedTokens = now.PrefixHits - p.before.PrefixHits
	out.Computed = now.PrefillTokens - p.before.PrefillTokens
	out.AnswerTokens = now.GenerationTokens - p.before.GenerationTokens
	out.Preemptions = now.Preemptions - p.before.Preemptions
	out.Steps = now.Steps - p.before.Steps
	seconds := out.Time.Seconds()
	out.UseMean, out.RunningMean, out.WaitingMean = p.tally.use/seconds, p.tally.running/seconds, p.tally.waiting/seconds
	return out
}
