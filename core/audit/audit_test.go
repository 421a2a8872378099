package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/audit"
	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
	"paceline/core/trajectory"
)

// source is a workload of so many conversations of four turns each; the prompts of one share what came before.
type source int

func (s source) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	t := &trajectory.Trajectory{ID: fmt.Sprintf("t%d", index), Index: index}
	for i := range uint32(4) {
		t.Turns = append(t.Turns, trajectory.Turn{
			Index:    i,
			Append:   []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"%s asks %d: %s"}`, t.ID, i, strings.Repeat("why ", 400))}},
			Recorded: &trajectory.Message{JSON: []byte(`{"role":"assistant","content":"because"}`)},
			Final:    i == 3,
		})
	}
	return t, nil
}

// twice plays a workload two times against one engine, in virtual time.
type twice struct {
	engine sim.Config
	source source
	params string
	users  int
	seed   [2]uint64
}

func (w twice) run(t *testing.T) [2]*audit.Recorded {
	t.Helper()
	dirs := [2]string{filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")}
	synctest.Test(t, func(t *testing.T) {
		network := coretest.NewNetwork()
		l, err := network.Listen("engine:8000")
		if err != nil {
			t.Fatal(err)
		}
		w.engine.Model = "m"
		engine, err := sim.New(w.engine)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = engine.Serve(ctx, l) }()
		defer func() { cancel(); <-done }()
		for i, dir := range dirs {
			w.play(t, network, dir, w.seed[i])
		}
	})
	return [2]*audit.Recorded{read(t, dirs[0]), read(t, dirs[1])}
}

func (w twice) play(t *testing.T, network *coretest.Network, dir string, seed uint64) {
	t.Helper()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	none, err := chat.SaltSchemeByName("none")
	if err != nil {
		t.Fatal(err)
	}
	plan := &session.Plan{Dir: dir, Sched: sched.Config{
		Workload: "w", Info: trajectory.Info{Trajectories: uint64(w.source), Fixed: true}, Users: load.Constant(max(w.users, 1)), Seed: seed, Salt: none,
		Params: json.RawMessage(w.params), Wire: chat.Wire{Model: "m", Stream: true, IncludeUsage: !w.engine.NoUsage, MaxTokensKey: "max_tokens"},
	}}
	plan.Config = journal.RunConfig{
		Run: filepath.Base(dir), Seed: fmt.Sprint(seed), Salt: journal.Salt{Scheme: "none"}, Endpoint: client.Info().URL,
		Config:   fmt.Appendf(nil, `{"target":{"model":"m","stream":true},"history":"recorded","params":%s}`, w.params),
		Workload: journal.Workload{Name: "w", Trajectories: uint64(w.source), Fixed: true},
	}
	played, err := session.Play(t.Context(), plan, &session.Parts{Source: w.source, Issuer: client, Prober: session.EndpointProber{Client: client}, Epoch: epoch})
	if err != nil || played.Lost > 0 {
		t.Fatal(err, played)
	}
}

func read(t *testing.T, dir string) *audit.Recorded {
	t.Helper()
	r, err := audit.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const atOne = `{"temperature":1.0}`

func TestEngines(t *testing.T) {
	for name, c := range map[string]struct {
		twice
		want, decode, equal audit.Verdict
	}{
		"honest, no cache":          {twice{engine: sim.Config{Resample: true, NoPrefixCache: true}}, audit.Passed, audit.Passed, audit.Passed},
		"honest, prefix cache":      {twice{engine: sim.Config{Resample: true}}, audit.Passed, audit.Passed, audit.Passed},
		"honest, many users":        {twice{engine: sim.Config{Resample: true}, users: 16}, audit.Passed, audit.Passed, audit.Passed},
		"honest, several per chunk": {twice{engine: sim.Config{Resample: true, TokensPerChunk: 3}}, audit.Passed, audit.Passed, audit.Passed},
		"honest, no usage":          {twice{engine: sim.Config{Resample: true, NoUsage: true}}, audit.Passed, audit.Passed, audit.Passed},
		"response cache":            {twice{engine: sim.Config{ResponseCache: sim.CacheInstant}}, audit.Failed, audit.Failed, audit.Failed},
		"delayed response cache":    {twice{engine: sim.Config{ResponseCache: sim.CacheDelayed}}, audit.Failed, audit.Passed, audit.Failed},
		"cache, greedy":             {twice{engine: sim.Config{ResponseCache: sim.CacheDelayed}, params: `{"temperature":0}`}, audit.Inconclusive, audit.Passed, audit.Inconclusive},
		"cache, seeded":             {twice{engine: sim.Config{ResponseCache: sim.CacheDelayed}, params: `{"temperature":1,"seed":7}`}, audit.Inconclusive, audit.Passed, audit.Inconclusive},
		"too few":                   {twice{engine: sim.Config{Resample: true}, source: 4}, audit.Inconclusive, audit.Inconclusive, audit.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			if c.source == 0 {
				c.source = 32
			}
			if c.params == "" {
				c.params = atOne
			}
			both := c.run(t)
			r, err := audit.Compare(both[0], both[1])
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.want || r.Decode.Verdict != c.decode || r.Equal.Verdict != c.equal || (len(r.Reasons) == 0) != (c.want == audit.Passed) {
				t.Errorf("got %s, decode %+v, equal %+v, %q", r.Verdict, r.Decode, r.Equal, r.Reasons)
			}
			if r.Paired.Trajectories != int(c.source) || r.Paired.Turns != 4*int(c.source) || r.Passes[0].OK != r.Paired.Turns {
				t.Errorf("paired %+v", r.Paired)
			}
		})
	}
}

// TestPrefixCacheShows: what is allowed still is told.
func TestPrefixCacheShows(t *testing.T) {
	both := twice{engine: sim.Config{Resample: true}, source: 32, params: atOne}.run(t)
	r, err := audit.Compare(both[0], both[1])
	if err != nil {
		t.Fatal(err)
	}
	if first, second := r.FirstToken.First.Or(0), r.FirstToken.Second.Or(0); second <= 0 || second > first*0.9 {
		t.Errorf("first token after %v and %v ms", first, second)
	}
	again, err := audit.Compare(both[0], both[1])
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Error("the same journals give other bytes")
	}
	var shown strings.Builder
	if err := audit.WriteText(&shown, r); err != nil || !strings.Contains(shown.String(), "passed") {
		t.Errorf("%v: %s", err, shown.String())
	}
}

func TestOtherRequests(t *testing.T) {
	for name, change := range map[string]struct {
		w    twice
		want string
	}{
		"seed": {twice{seed: [2]uint64{1, 2}}, "differ in the seed"},
	} {
		t.Run(name, func(t *testing.T) {
			change.w.source, change.w.params = 2, atOne
			both := change.w.run(t)
			if _, err := audit.Compare(both[0], both[1]); err == nil || !strings.Contains(err.Error(), change.want) {
				t.Errorf("got %v", err)
			}
			if _, err := audit.Compare(both[0], both[0]); err == nil {
				t.Error("one run is taken for two")
			}
			live := *both[0].Config
			live.Config = json.RawMessage(`{"target":{"stream":true},"history":"live"}`)
			if _, err := audit.Compare(&audit.Recorded{Config: &live, Run: both[0].Run}, both[1]); err == nil || !strings.Contains(err.Error(), "live history") {
				t.Errorf("got %v", err)
			}
			whole := *both[0].Config
			whole.Config = json.RawMessage(`{"history":"recorded"}`)
			if _, err := audit.Compare(&audit.Recorded{Config: &whole, Run: both[0].Run}, both[1]); err == nil || !strings.Contains(err.Error(), "did not stream") {
				t.Errorf("got %v", err)
			}
		})
	}
}
