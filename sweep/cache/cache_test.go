package cache_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
	"paceline/core/trajectory"
	"paceline/sweep/cache"
)

// source is a workload in memory: conversations with long system prompts.
type source struct {
	shared bool // one system prompt for all
	short  bool
	filler bool // the host makes the prompts
}

func (s source) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	if s.filler {
		piece := trajectory.Piece{Filler: &trajectory.Filler{Tokens: 2000, Scope: trajectory.ScopeTrajectory}}
		message := trajectory.Message{Composed: &trajectory.Composed{Role: "user", Pieces: []trajectory.Piece{piece}}}
		return &trajectory.Trajectory{ID: fmt.Sprint("t", index), Index: index, Turns: []trajectory.Turn{{Append: []trajectory.Message{message}, ExactTokens: 9}}}, nil
	}
	who := fmt.Sprintf("agent-%d", index)
	if s.shared {
		who = "agent"
	}
	system := who + ": " + strings.Repeat(who+" reads the whole file and says what it means. ", 200)
	if s.short {
		system = who
	}
	return &trajectory.Trajectory{
		ID: fmt.Sprint("t", index), Index: index,
		Tools: json.RawMessage(`[{"type":"function","function":{"name":"bash","description":"` + strings.Repeat("runs a command, ", 30) + `","parameters":{"type":"object"}}}]`),
		Turns: []trajectory.Turn{{
			Append: []trajectory.Message{
				{JSON: fmt.Appendf(nil, `{"role":"system","content":%q}`, system)}, {JSON: fmt.Appendf(nil, `{"role":"user","content":"begin %d"}`, index)},
			},
			Recorded: &trajectory.Message{JSON: json.RawMessage(`{"role":"assistant","content":"done"}`)}, Final: true,
		}},
	}, nil
}

// play plays one point against the engine and returns its folder.
func play(t *testing.T, client *endpoint.Client, from source, scheme string, epoch time.Time) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c4")
	salt, err := chat.SaltSchemeByName(scheme)
	if err != nil {
		t.Fatal(err)
	}
	info := trajectory.Info{Trajectories: 8, Fixed: true}
	played, err := session.Play(t.Context(), &session.Plan{
		Dir: dir, Lock: []byte("{}\n"),
		Config: journal.RunConfig{
			Run: "r", Seed: "7", Salt: journal.Salt{Scheme: scheme},
			Config:   json.RawMessage(`{"target":{"model":"m","stream":true,"max_tokens_key":"max_tokens"},"params":{"temperature":1},"override":null,"routing_headers":["X-Session-ID"]}`),
			Workload: journal.Workload{Name: "w", Trajectories: 8, Fixed: true},
		},
		Sched: sched.Config{
			Workload: "w", Info: info, Users: load.Constant(4), Budget: 8, Seed: 7, Salt: salt, Params: json.RawMessage(`{"temperature":1}`),
			Wire: chat.Wire{Model: "m", Stream: true, IncludeUsage: true, MaxTokensKey: "max_tokens"}, MaxTokens: 20,
		},
	}, &session.Parts{Source: from, Issuer: client, Epoch: epoch})
	if err != nil || played.Lost > 0 {
		t.Fatal(err, played)
	}
	return dir
}

func seed(n uint64) *uint64 { return &n }

// TestProve plays a point against the simulated engine, empties its cache or does not, and asks.
func TestProve(t *testing.T) {
	same := cache.Salts{Scheme: "mlperf", Seed: seed(8)}
	for name, c := range map[string]struct {
		engine sim.Config
		from   source
		scheme string
		next   cache.Salts
		flush  bool
		state  cache.State
		method string
		probes int
	}{
		"emptied":                       {scheme: "mlperf", next: same, flush: true, state: cache.Empty, method: cache.ByTokens, probes: 4},
		"not emptied":                   {scheme: "mlperf", next: same, state: cache.CarriedOver, method: cache.ByTokens, probes: 4},
		"not emptied, one prompt":       {from: source{shared: true}, scheme: "mlperf", next: same, state: cache.CarriedOver, method: cache.ByTokens, probes: 1},
		"emptied, one prompt":           {from: source{shared: true}, scheme: "mlperf", next: same, flush: true, state: cache.Empty, method: cache.ByTokens, probes: 1},
		"no salt":                       {scheme: "none", next: cache.Salts{Scheme: "none", Seed: seed(9)}, state: cache.CarriedOver, method: cache.ByTokens, probes: 4},
		"seeded, the same seed":         {scheme: "seeded", next: cache.Salts{Scheme: "seeded", Seed: seed(7)}, state: cache.CarriedOver, method: cache.ByTokens, probes: 4},
		"seeded, another seed":          {scheme: "seeded", next: cache.Salts{Scheme: "seeded", Seed: seed(8)}, state: cache.Empty, method: cache.BySalts, probes: 4},
		"seeded, a seed to be drawn":    {scheme: "seeded", next: cache.Salts{Scheme: "seeded"}, state: cache.Empty, method: cache.BySalts, probes: 4},
		"filler, the same seed":         {from: source{filler: true}, scheme: "seeded", next: cache.Salts{Scheme: "seeded", Seed: seed(7)}, state: cache.CarriedOver, method: cache.ByTokens, probes: 4},
		"filler, another seed":          {from: source{filler: true}, scheme: "seeded", next: cache.Salts{Scheme: "seeded", Seed: seed(8)}, state: cache.Empty, method: cache.BySalts, probes: 4},
		"no usage, emptied":             {engine: sim.Config{NoUsage: true}, scheme: "mlperf", next: same, flush: true, state: cache.Empty, method: cache.ByTime, probes: 4},
		"no usage, not emptied":         {engine: sim.Config{NoUsage: true}, scheme: "mlperf", next: same, state: cache.CarriedOver, method: cache.ByTime, probes: 4},
		"no usage, no cache":            {engine: sim.Config{NoUsage: true, NoPrefixCache: true}, scheme: "mlperf", next: same, state: cache.NotProvable, method: cache.ByTime, probes: 4},
		"no cache":                      {engine: sim.Config{NoPrefixCache: true}, scheme: "mlperf", next: same, flush: true, state: cache.NotProvable, method: cache.ByTime, probes: 4},
		"prompts too short for a block": {from: source{short: true, shared: true}, scheme: "mlperf", next: same, state: cache.NotProvable, method: cache.ByTime, probes: 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.engine.Model, c.engine.AnswerTokens = "m", 10
				server, err := sim.New(c.engine)
				if err != nil {
					t.Fatal(err)
				}
				network := coretest.NewNetwork()
				l, err := network.Listen("engine:8000")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); _ = server.Serve(ctx, l) }()
				defer func() { cancel(); <-done }()
				epoch := time.Now()
				client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, epoch)
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				before, err := cache.Read(play(t, client, c.from, c.scheme, epoch), "")
				if err != nil {
					t.Fatal(err)
				}
				if c.flush {
					if reply, err := client.PostTo(t.Context(), "/reset_prefix_cache", nil); err != nil || reply.Status != 200 {
						t.Fatal(reply, err)
					}
				}
				v, err := cache.Prove(t.Context(), client, before, c.next)
				if err != nil {
					t.Fatal(err)
				}
				if v.State != c.state || v.Method != c.method || v.Probes != c.probes {
					t.Errorf("got %+v, want %s by %s with %d probes", *v, c.state, c.method, c.probes)
				}
				if carried := v.Carried(); (carried == nil) != (c.state == cache.NotProvable) || carried != nil && *carried != (c.state == cache.CarriedOver) {
					t.Errorf("carried: %v", carried)
				}
			})
		})
	}
}
