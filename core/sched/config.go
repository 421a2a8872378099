package sched

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/load"
	"paceline/core/trajectory"
)

// Defaults of Config.
const (
	DefaultTurnTimeout   = time.Hour
	DefaultGrace         = 30 * time.Second
	DefaultPrefetchBytes = 256 << 20
	DefaultRoutingHeader = "X-Session-Id"
)

// Config is how a run behaves. Zero fields are the defaults.
type Config struct {
	Workload string          // full component name; names the samples and seeds the shuffle
	Info     trajectory.Info // what the workload says of itself
	Mix      []Member        // in place of Workload and Info: several workloads, mixed by weight
	Attempt  uint32          // of every conversation: higher after the runner died

	Users    load.Pattern  // closed loop: users; open loop: the most conversations at once. Zero: one
	Arrivals load.Arrivals // zero: closed loop
	// Budget is how many conversations are measured; those of a warm-up come before them and beside it. 0: one pass over
	// the workload, or every arrival; load.Endless: until Duration ends the run.
	Budget uint64
	// Passes is, without a Budget, how many passes over each workload are measured; 0: one. In a mix a workload leaves when
	// it has had its passes.
	Passes  uint32
	Shuffle bool
	Seed    uint64 // the run's seed: order and salts

	Wire chat.Wire
	// Lengths says how planned lengths become prompts and answers; zero: text, and nothing was measured.
	Lengths filler.Lengths
	// Switches are the parameters that the engine needs of every request for the run's lengths; nil: none.
	Switches          json.RawMessage
	Params            json.RawMessage // the run's parameters, above the workload's defaults
	Override          json.RawMessage // parameters above all others
	MaxTokens         uint32          // where the turn says none; 0: no limit is sent
	OverrideMaxTokens uint32          // 0: the turn's; else for every turn
	History           chat.HistoryRule
	Thinking          chat.Thinking    // of live answers; empty: chat.Keep
	ToolResults       chat.ToolResults // of parallel calls; empty: chat.Apart
	RequireContent    bool             // assistant messages of the history get a content where they have none
	Salt              chat.SaltScheme  // zero: none
	// RoutingHeaders carry the conversation's id. nil: DefaultRoutingHeader; empty: none.
	RoutingHeaders []string

	// Targets are those that conversations are dealt out to; nil: there is one.
	Targets []Target

	NoDelays    bool          // tool delays are left out
	MaxDelay    time.Duration // of a tool delay; 0: as planned
	TurnTimeout time.Duration // from sending to the end of the answer; 0: DefaultTurnTimeout
	// Duration ends the run that long after measuring began; a warm-up by count may take as long again. 0: no limit.
	Duration time.Duration
	// Grace is how long turns in flight may go on once no new turn is sent. 0: DefaultGrace; negative: not at all.
	Grace time.Duration
	// StopOnFirstIdle ends the run when the first conversation ends while none is left to start.
	StopOnFirstIdle bool
	Warmup          Warmup
	Prefetch        Prefetch
	Reach           Reach // how much of trajectories is played
}

// Warmup is load before measuring begins. It hands over without draining: each user goes on with its next conversation,
// and measuring begins at one instant. At most one field is set; neither means no warm-up.
type Warmup struct {
	Conversations uint64        // until the first so many conversations have ended
	For           time.Duration // or for that long
}

// Prefetch says how far trajectories are planned ahead of need.
type Prefetch struct {
	Depth    int   // trajectories that nobody has taken yet; 0: twice the users, at least 8
	Bytes    int64 // of those; 0: DefaultPrefetchBytes. The first trajectory of every user is planned whatever its size
	Planners int   // calls of Plan of one workload at the same time; 0: 2
}

// Check reports everything that is wrong with the configuration.
func (c *Config) Check() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(c.Users.Max() < 1, "users: %d is below 1", c.Users.Max())
	fault(c.MaxDelay < 0, "max delay: %v is negative", c.MaxDelay)
	fault(c.TurnTimeout < 0, "turn timeout: %v is negative", c.TurnTimeout)
	fault(c.Duration < 0, "duration: %v is negative", c.Duration)
	fault(c.Warmup.For < 0, "warm-up: %v is negative", c.Warmup.For)
	fault(c.Warmup.For > 0 && c.Warmup.Conversations > 0, "warm-up: either a number of conversations or a time, not both")
	fault(c.Prefetch.Depth < 0 || c.Prefetch.Bytes < 0 || c.Prefetch.Planners < 0, "prefetch: a bound is negative")
	fault(c.Thinking != "" && c.Thinking != chat.Keep && c.Thinking != chat.Strip,
		"thinking: %q is neither keep nor strip", c.Thinking)
	fault(c.ToolResults != "" && c.ToolResults != chat.Apart && c.ToolResults != chat.Merged,
		"tool results: %q is neither apart nor merged", c.ToolResults)
	errs = append(errs, c.checkMembers(), c.checkTargets(), c.checkBudget(), c.checkReach())
	for _, l := range []chat.Layer{{Name: "run", Params: c.Params}, {Name: "override", Params: c.Override}} {
		errs = append(errs, chat.CheckLayer(l))
	}
	_, err := chat.NewSalter(c.Salt, c.Seed)
	_, unfit := filler.New(c.Seed, c.lengths())
	return errors.Join(append(errs, err, unfit)...)
}

func (c *Config) checkBudget() error {
	budget := c.budget()
	if budget == load.Endless && c.Duration == 0 {
		return errors.New("budget: a run without end needs a duration")
	}
	if !c.Arrivals.Open() {
		return nil
	}
	if c.Warmup.For > 0 {
		return errors.New("warm-up: with arrivals it is a number of conversations, not a time")
	}
	if c.Arrivals.Endless() {
		return nil
	}
	n, fixed := c.Arrivals.Count()
	if !fixed && c.mixed() {
		return errors.New("arrivals: recorded ones are of one workload, and several are mixed")
	}
	if !fixed {
		n = c.length(&c.members()[0]) // recorded arrivals cover one pass
	}
	if n == 0 {
		return errors.New("arrivals: there are none")
	}
	if asked := c.total(); asked > n {
		return fmt.Errorf("arrivals: %d conversations are asked for, warm-up included, and %d arrive", asked, n)
	}
	return nil
}

// budget is the number of conversations to be measured.
func (c *Config) budget() uint64 {
	if c.Budget > 0 {
		return c.Budget
	}
	if n, fixed := c.Arrivals.Count(); fixed && c.Passes == 0 {
		return n - min(n, c.Warmup.Conversations)
	}
	return c.passes()
}

// total is the number of conversations to be started, as far as it is known beforehand.
func (c *Config) total() uint64 {
	budget := c.budget()
	if c.Warmup.For > 0 || budget > math.MaxUint64-c.Warmup.Conversations {
		return load.Endless
	}
	return budget + c.Warmup.Conversations
}

// withDefaults returns the configuration with every default filled in.
func (c Config) withDefaults() Config {
	if c.RoutingHeaders == nil {
		c.RoutingHeaders = []string{DefaultRoutingHeader}
	}
	if c.TurnTimeout == 0 {
		c.TurnTimeout = DefaultTurnTimeout
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	c.Grace = max(c.Grace, 0)
	if c.Prefetch.Depth == 0 {
		c.Prefetch.Depth = max(2*c.Users.Max(), 8)
	}
	c.Prefetch.Depth = max(c.Prefetch.Depth, c.Users.Max())
	if c.Prefetch.Bytes == 0 {
		c.Prefetch.Bytes = DefaultPrefetchBytes
	}
	if c.Prefetch.Planners == 0 {
		c.Prefetch.Planners = 2
	}
	return c
}
