package sim

import (
	"errors"
	"fmt"
	"time"
)

// Config describes an engine. The zero value of a field means its default.
type Config struct {
	// Model is the served name, "sim-30b-a3b" by default. Requests for another
	// model get 404.
	Model string
	// Version is what /version tells, "sim-1" by default.
	Version string
	// APIKey, if set, must come as a bearer token with each request for /v1.
	APIKey string
	// Seed goes into every answer and every fault that is drawn by rate.
	Seed uint64
	// TimeScale multiplies every duration: 1 is real time (the default), 0.1 ten
	// times as fast.
	TimeScale float64

	Cost Cost
	// MaxContext bounds prompt plus answer in tokens, 131072 by default, and
	// never more than KVTokens.
	MaxContext int
	// MaxBatch is the number of sequences that run together, 256 by default.
	MaxBatch int
	// StepTokens bounds the tokens that one step computes, 8192 by default.
	StepTokens int
	// KVTokens is the size of the KV cache in tokens, 400000 by default.
	KVTokens int
	// BlockTokens is the number of tokens of a block, 16 by default.
	BlockTokens int
	// NoPrefixCache computes every prompt whole.
	NoPrefixCache bool

	// AnswerTokens is the mean length of drawn answers, 350 by default, tool
	// calls included and reasoning not.
	AnswerTokens int
	// ReasoningTokens is the mean length of drawn reasoning; 0 means none.
	ReasoningTokens int
	// ReasoningField is the delta's field for reasoning: "reasoning_content" (the
	// default) or "reasoning".
	ReasoningField string
	// NoToolCalls answers with text also where tools are offered.
	NoToolCalls bool
	// Resample draws another answer each time the same prompt comes, as an engine
	// does that samples without a seed. The n-th answer to a prompt is always the
	// same one.
	Resample bool
	// ResponseCache answers a prompt that came before with the stored answer, as no
	// engine should: CacheInstant at once, CacheDelayed as slowly as if it were
	// computed.
	ResponseCache string
	// Answer, if set, is asked first and gives the answer if it returns true. It
	// is called from several goroutines.
	Answer func(*Request) (Answer, bool)

	// TokensPerChunk is the number of tokens that a decode step gives each
	// sequence, as speculative decoding does; 1 by default.
	TokensPerChunk int
	// DraftTokens is the length of a draft of speculative decoding; 0 means none is made. Each decode step verifies one draft,
	// and TokensPerChunk says how much of it is accepted: all of a step's tokens but one. With a draft its default is 1 and
	// half of the draft, rounded up.
	DraftTokens int
	// ContinuousUsage puts the running usage into each chunk of a stream that
	// asked for usage.
	ContinuousUsage bool
	// NoUsage leaves usage out of every answer.
	NoUsage bool
	// Faults are tried in order; the first that hits a request is played.
	Faults []Fault
}

// Cost holds the coefficients of the length of a step; the package comment has
// the formula. The zero value of a field means its default.
type Cost struct {
	Base           time.Duration // of each step, 4 ms: weights are read once
	PrefillToken   time.Duration // per prefilled token, 20 us: 6.6 GFLOP at 330 TFLOP/s
	PrefillPair    time.Duration // per prefilled token and token before it, 2 ns: attention
	DecodeSequence time.Duration // per decoding sequence, 60 us: more experts are read
	ContextToken   time.Duration // per token of context of decoding sequences, 40 ns: 98 KB of KV at 2.5 TB/s
}

// Check returns every fault of the configuration, joined.
func (c Config) Check() error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int
	}{
		{"max context", c.MaxContext}, {"max batch", c.MaxBatch}, {"step tokens", c.StepTokens},
		{"kv tokens", c.KVTokens}, {"block tokens", c.BlockTokens}, {"answer tokens", c.AnswerTokens},
		{"reasoning tokens", c.ReasoningTokens}, {"tokens per chunk", c.TokensPerChunk}, {"draft tokens", c.DraftTokens},
		{"cost: base", int(c.Cost.Base)}, {"cost: prefill token", int(c.Cost.PrefillToken)},
		{"cost: prefill pair", int(c.Cost.PrefillPair)}, {"cost: decode sequence", int(c.Cost.DecodeSequence)},
		{"cost: context token", int(c.Cost.ContextToken)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s: %d is below 0", n.name, n.value))
		}
	}
	if !(c.TimeScale >= 0 && c.TimeScale <= 1000) { // also false for NaN
		errs = append(errs, fmt.Errorf("time scale: %v is not between 0 and 1000", c.TimeScale))
	}
	d := c.withDefaults()
	if d.ReasoningField != "reasoning" && d.ReasoningField != "reasoning_content" {
		errs = append(errs, fmt.Errorf("reasoning field: %q is neither reasoning nor reasoning_content", d.ReasoningField))
	}
	if d.ResponseCache != "" && d.ResponseCache != CacheInstant && d.ResponseCache != CacheDelayed {
		errs = append(errs, fmt.Errorf("response cache: %q is neither %s nor %s", d.ResponseCache, CacheInstant, CacheDelayed))
	}
	if d.KVTokens > 0 && d.BlockTokens > 0 && d.KVTokens < d.BlockTokens {
		errs = append(errs, fmt.Errorf("kv tokens: %d do not fill a block of %d", d.KVTokens, d.BlockTokens))
	}
	if d.TokensPerChunk > d.StepTokens {
		errs = append(errs, fmt.Errorf("tokens per chunk: %d do not fit into a step of %d", d.TokensPerChunk, d.StepTokens))
	}
	if d.DraftTokens > 0 && d.TokensPerChunk > d.DraftTokens+1 {
		errs = append(errs, fmt.Errorf("tokens per chunk: %d cannot come of a draft of %d and one more", d.TokensPerChunk, d.DraftTokens))
	}
	for i, f := range c.Faults {
		if err := f.check(); err != nil {
			errs = append(errs, fmt.Errorf("faults[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// withDefaults fills the zero fields.
func (c Config) withDefaults() Config {
	fill(&c.Model, "sim-30b-a3b")
	fill(&c.Version, "sim-1")
	fill(&c.TimeScale, 1)
	fill(&c.MaxContext, 131072)
	fill(&c.MaxBatch, 256)
	fill(&c.StepTokens, 8192)
	fill(&c.KVTokens, 400_000)
	fill(&c.BlockTokens, 16)
	fill(&c.AnswerTokens, 350)
	fill(&c.ReasoningField, "reasoning_content")
	if c.DraftTokens > 0 {
		fill(&c.TokensPerChunk, 1+(c.DraftTokens+1)/2)
	}
	fill(&c.TokensPerChunk, 1)
	fill(&c.Cost.Base, 4*time.Millisecond)
	fill(&c.Cost.PrefillToken, 20*time.Microsecond)
	fill(&c.Cost.PrefillPair, 2*time.Nanosecond)
	fill(&c.Cost.DecodeSequence, 60*time.Microsecond)
	fill(&c.Cost.ContextToken, 40*time.Nanosecond)
	c.MaxContext = min(c.MaxContext, c.KVTokens/c.BlockTokens*c.BlockTokens)
	return c
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// step returns how long a step with that work lasts at time scale 1.
func (c Cost) step(w work) time.Duration {
	return c.Base +
		c.PrefillToken*time.Duration(w.prefill) +
		c.PrefillPair*time.Duration(w.pairs) +
		c.DecodeSequence*time.Duration(w.decoding) +
		c.ContextToken*time.Duration(w.context)
}

// work is what one step computes.
type work struct {
	prefill  int // tokens prefilled
	pairs    int // sum of n*(c + n/2), each summand rounded down
	decoding int // sequences that decode
	context  int // tokens in their contexts
}
