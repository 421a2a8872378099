package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/sim"
	"paceline/core/stats"
	"paceline/core/trajectory"
	"paceline/sweep/until"
)

// taken records what a schedule played.
type taken struct {
	mu    sync.Mutex
	input metrics.Input
}

func (r *taken) PlannedIn(string, *trajectory.Trajectory, uint32)                  {}
func (r *taken) Started(*sample.Conversation)                                      {}
func (r *taken) Sent(sample.ID, sample.Offset, int64)                              {}
func (r *taken) Stepped(sample.ID, *trajectory.Step, sample.Offset, sample.Offset) {}
func (r *taken) Sampled(s *sample.Sample) {
	r.mu.Lock()
	r.input.Samples = append(r.input.Samples, *s)
	r.mu.Unlock()
}
func (r *taken) Ended(c *sample.Conversation) {
	r.mu.Lock()
	r.input.Conversations = append(r.input.Conversations, *c)
	r.mu.Unlock()
}
func (r *taken) Phase(p sample.Phase, at sample.Offset) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p == sample.Measure {
		r.input.Measure = at
	}
	if p == sample.Drain {
		r.input.Drain = at
	}
}

// short are conversations of two turns.
type short struct{}

func (short) Plan(_ context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error) {
	t := &trajectory.Trajectory{ID: fmt.Sprint("t", index), Index: index}
	for i := range uint32(2) {
		say := func(role string) trajectory.Message {
			return trajectory.Message{JSON: fmt.Appendf(nil, `{"role":%q,"content":"%s %d %d %d %s"}`, role, role, index, repeat, i, strings.Repeat("word ", 40))}
		}
		answer := say("assistant")
		t.Turns = append(t.Turns, trajectory.Turn{Index: i, Append: []trajectory.Message{say("user")}, Recorded: &answer, MaxTokens: 12})
	}
	return t, nil
}

// measure plays so many users against a simulated engine in virtual time, four conversations each.
func measure(t *testing.T, engine sim.Config, users int) *metrics.Metrics {
	t.Helper()
	var m *metrics.Metrics
	synctest.Test(t, func(t *testing.T) {
		network := coretest.NewNetwork()
		l, err := network.Listen("engine:8000")
		if err != nil {
			t.Fatal(err)
		}
		server, err := sim.New(engine)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(ctx, l) })
		epoch := time.Now()
		client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, epoch)
		if err != nil {
			t.Fatal(err)
		}
		r := &taken{input: metrics.Input{Config: metrics.Config{Users: users}}}
		_, err = sched.Run(ctx, sched.Needs{Source: short{}, Issuer: client, Recorder: r}, sched.Config{
			Workload: "w", Info: trajectory.Info{}, Users: load.Constant(users), Budget: uint64(4 * users),
			Wire: chat.Wire{Model: engine.Model, Stream: true, IncludeUsage: true, MaxTokensKey: "max_tokens"},
		}, epoch)
		client.Close()
		stop()
		serving.Wait()
		if err != nil {
			t.Fatal(err)
		}
		m = metrics.Compute(&r.input)
	})
	return m
}

// engines are five with different reasons to be slow: few sequences at once, dear decoding, dear prefill, little room for
// contexts, and hardly any reason at all.
func engines() map[string]sim.Config {
	ms := time.Millisecond
	base := func(c sim.Config) sim.Config {
		c.Model, c.NoToolCalls, c.NoPrefixCache, c.AnswerTokens = "sim", true, true, 12
		return c
	}
	return map[string]sim.Config{
		"a batch of 12": base(sim.Config{MaxBatch: 12}),
		"dear decoding": base(sim.Config{Cost: sim.Cost{Base: 2 * ms, DecodeSequence: ms / 2}}),
		"dear prefill":  base(sim.Config{Cost: sim.Cost{Base: 4 * ms, PrefillToken: ms / 10}}),
		"a small cache": base(sim.Config{KVTokens: 2400, MaxContext: 600}),
		"fast":          base(sim.Config{Cost: sim.Cost{Base: ms, PrefillToken: time.Microsecond, DecodeSequence: time.Microsecond}}),
	}
}

// searcher plays points of a search.
type searcher struct {
	t      *testing.T
	engine *sim.Config // nil: figures that follow from the number of users alone
	played int
	stop   int // after so many points the runner is killed; 0: never
}

func (p *searcher) Play(_ context.Context, x *PlannedPoint, dir string) Played {
	if p.played++; p.stop > 0 && p.played > p.stop {
		panic(errKilled)
	}
	r := resultOf(x.Concurrency)
	if p.engine != nil {
		r.Metrics = measure(p.t, *p.engine, x.Concurrency)
	} else {
		r.Metrics.Turns.TTFT.P90, r.Metrics.Turns.TPOT.P90 = stats.Of(2.7*float64(x.Concurrency)+1/3.0), stats.Of(5)
	}
	var b bytes.Buffer
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, journal.RunFile), []byte("{}"), 0o600), report.WriteJSON(&b, r),
		os.WriteFile(filepath.Join(dir, reportFile), b.Bytes(), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	return Played{Report: r}
}

const objectives = "ttft.p90<60ms && tpot.p90<15ms"

func searchPlan(t *testing.T) *Plan {
	t.Helper()
	u, first, err := NewUntil(Until{Objectives: objectives, Low: 1, High: 64, Points: 8})
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{Schema: PlanSchema, Between: "none", Axes: PlainAxes, Until: u, Points: []PlannedPoint{first}}
}

// TestUntilFindsTheOptimum searches five engines, and plays what lies a step below the answer and two above it: order of events
// varies from run to run, so loads near 1 prove nothing.
func TestUntilFindsTheOptimum(t *testing.T) {
	for name, engine := range engines() {
		s := &Sweep{Dir: t.TempDir(), State: NewState(journal.Build{}, searchPlan(t), oneRun, nil), Player: &searcher{t: t, engine: &engine}, Emptier: &emptier{}}
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		found := s.State.found(nil)
		load := func(users int) float64 {
			m := measure(t, engine, users)
			list, err := until.Parse(objectives, func(string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			return until.Load(list, func(path string) (float64, bool) { v, _, _ := m.Lookup(path); return v.Get() })
		}
		step := max(1, found.Highest/8)
		t.Logf("%s: %d in %d points, knee %d", name, found.Highest, len(s.State.Points), found.Knee)
		if len(s.State.Points) > 8 || found.Highest > 1 && load(max(found.Highest-step, 1)) > 1.1 || found.Highest < 64 && load(found.Highest+2*step) < 0.9 {
			t.Errorf("%s: %+v in %d points", name, found, len(s.State.Points))
		}
	}
}

// TestSearchResumes kills a search in its third point; what follows is what would have followed.
func TestSearchResumes(t *testing.T) {
	points := func(s *State) string {
		var list []string
		for _, p := range s.Points {
			list = append(list, fmt.Sprint(p.Concurrency, ":", p.State))
		}
		return strings.Join(list, " ")
	}
	whole := &Sweep{Dir: t.TempDir(), State: NewState(journal.Build{}, searchPlan(t), oneRun, nil), Player: &searcher{t: t}, Emptier: &emptier{}}
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	killed := &Sweep{Dir: dir, State: NewState(journal.Build{}, searchPlan(t), oneRun, nil), Player: &searcher{t: t, stop: 2}, Emptier: &emptier{}}
	func() {
		defer func() { _ = recover() }()
		_ = killed.Run(t.Context())
	}()
	state, err := ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Resume(dir, searchPlan(t), oneRun); err != nil {
		t.Fatal(err)
	}
	if err := (&Sweep{Dir: dir, State: state, Player: &searcher{t: t}, Emptier: &emptier{}}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := points(state), points(whole.State); got != want {
		t.Errorf("resumed: %s\n  whole: %s", got, want)
	}
}

func TestUntilPlansRefuse(t *testing.T) {
	for _, u := range []Until{
		{"", 1, 64, 8}, {"ttft.p90<5", 1, 64, 8}, {objectives, 0, 64, 8}, {objectives, 9, 9, 8}, {objectives, 1, 64, 2}, {objectives, 1, math.MaxInt, 8},
	} {
		if _, _, err := NewUntil(u); err == nil {
			t.Errorf("%+v: not refused", u)
		}
	}
	p := searchPlan(t)
	p.Rules = &Rules{Name: "x", Settings: json.RawMessage("{}")}
	if err := p.Check(); err == nil {
		t.Error("a search by rules: not refused")
	}
}
