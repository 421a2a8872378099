package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/digest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// canary stands in every text of the data set, so that no packed file may hold it.
const canary = "canary-5e21"

// talks is a data set in memory: conversations of two turns.
type talks struct {
	n     int
	delay time.Duration // before each second turn
}

// Plan implements sched.Source.
func (s talks) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	say := func(role, what string) trajectory.Message {
		return trajectory.Message{JSON: fmt.Appendf(nil, `{"role":%q,"content":"%s %s of %d"}`, role, canary, what, index)}
	}
	t := &trajectory.Trajectory{ID: fmt.Sprintf("sim_%d", index), Index: index, Domain: "workflow", Truth: json.RawMessage(`"` + canary + `"`)}
	for i := range 2 {
		turn := trajectory.Turn{Index: uint32(i), Append: []trajectory.Message{say("user", "question")}, Final: i == 1, Truth: fmt.Appendf(nil, `{"turn":"%s"}`, canary)}
		recorded := say("assistant", "answer")
		turn.Recorded = &recorded
		if i == 0 {
			turn.Append = append([]trajectory.Message{say("system", "rules")}, turn.Append...)
		} else {
			turn.Delay = s.delay
		}
		t.Turns = append(t.Turns, turn)
	}
	return t, nil
}

// spec is one run to be played in virtual time.
type spec struct {
	users   int
	delay   time.Duration
	change  func(*journal.RunConfig)
	judges  func(*session.Judges)
	inline  int64 // micro-units
	swe     int64 // 0: no SWE-bench
	tokens  uint64
	model   string
	fails   bool // every turn is answered with status 500
	dataset string
	told    identity // what the target tells of itself
}

// played plays a run, has it judged, and gives its folder.
func played(t *testing.T, s spec) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), fmt.Sprintf("c%d", s.users))
	if s.model == "" {
		s.model = "qwen3_6-35b-a3b"
	}
	if s.inline == 0 {
		s.inline = 564_300
	}
	if s.tokens == 0 {
		s.tokens = 383
	}
	synctest.Test(t, func(t *testing.T) { s.play(t, dir) })
	judges := &session.Judges{Counters: []judge.Counter{counter(s.tokens)}, Scorers: []judge.Scorer{scorer{"std/mlperf/inline", s.inline, 4}}}
	if s.swe > 0 {
		judges.Scorers = append(judges.Scorers, scorer{"local/swe-bench", s.swe, 200})
	}
	if s.judges != nil {
		s.judges(judges)
	}
	if _, err := session.Judge(t.Context(), dir, judges); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (s *spec) play(t *testing.T, dir string) {
	network := coretest.NewNetwork()
	l, err := network.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	target := coretest.Serve(l, &coretest.Script{Replies: []coretest.Reply{s.reply()}})
	defer target.Stop()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	plan, source := s.plan(t, dir, client.Info()), talks{4, s.delay}
	parts := &session.Parts{Source: source, Issuer: client, Epoch: epoch}
	if s.told != nil {
		parts.Prober, parts.Validators = s.told, []judge.Validator{s.told}
	}
	result, err := session.Play(t.Context(), plan, parts)
	if err != nil || result.Lost > 0 {
		t.Fatal(err, result)
	}
}

// reply is an answer of one second, its first token after 100 ms.
func (s *spec) reply() coretest.Reply {
	if s.fails {
		return coretest.Reply{Status: 500, End: coretest.EndKeepAlive}
	}
	event := func(ms int, data string) coretest.Step {
		return coretest.Step{At: time.Duration(ms) * time.Millisecond, Data: []byte("data: " + data + "\n\n")}
	}
	return coretest.Reply{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}}, End: coretest.EndKeepAlive,
		Body: []coretest.Step{
			event(100, `{"choices":[{"index":0,"delta":{"role":"assistant","content":"intent: "}}]}`),
			event(900, `{"choices":[{"index":0,"delta":{"content":"I001"}}]}`),
			event(1000, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`),
			event(1000, `{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":7}}`), event(1000, "[DONE]"),
		},
	}
}

func (s *spec) plan(t *testing.T, dir string, info endpoint.Info) *session.Plan {
	t.Helper()
	salt, err := chat.SaltSchemeByName("mlperf")
	if err != nil {
		t.Fatal(err)
	}
	const workload = "std/mlperf/agentic"
	config := fmt.Appendf(nil, `{"target":{"model":"Qwen/Qwen3.6-35B-A3B","stream":true,"usage":true,"turn_timeout_ns":14400000000000},
		"load":{"users":%d,"delays":true,"order":"file","arrivals":{"kind":"closed"}},"history":"recorded","thinking":"keep","salt":"mlperf","max_tokens":8192,
		"params":{"temperature":1.0,"top_p":0.95,"top_k":20,"repetition_penalty":1.0,"presence_penalty":1.5,"chat_template_kwargs":{"preserve_thinking":true}},
		"window":{"kind":"first-idle","trim":"20%%"},"token_source":"counter","max_failed":"0%%","routing_headers":["X-Session-ID"],
		"honesty":{"max_schedule_error_ns":1000000,"share_of_ttft":"1%%"}}`, s.users)
	run := journal.RunConfig{
		Run: fmt.Sprintf("20260829-101500-c%d", s.users), Config: config, Seed: "42", Salt: journal.Salt{Scheme: "mlperf"}, Clock: journal.ClockSimulated,
		Build:    journal.Build{Version: "0.1.0", Commit: "0123abcd", Go: "go1.26.8", OS: "linux", Arch: "amd64"},
		Preset:   &journal.Preset{Name: "std/mlperf/agentic/" + s.model, Plugin: "std/mlperf"},
		Lock:     journal.LockState{State: "pinned"},
		Plugins:  []journal.Plugin{{Name: "std/mlperf", Version: "0.1.0", Source: "std", SHA256: digest.Of([]byte("plugin"))}},
		Inputs:   []journal.Input{{Name: "dataset", Path: "stand-in.jsonl", Size: 9, SHA256: digest.Of([]byte("stand-in" + s.dataset))}},
		Endpoint: info.URL, Proxy: info.Proxy, TLSVerify: info.TLSVerify,
		Workload: journal.Workload{Name: workload, Trajectories: 4, Fixed: true, Provenance: "recorded"},
	}
	if s.change != nil {
		s.change(&run)
	}
	return &session.Plan{Dir: dir, Config: run, Lock: []byte("{}\n"), Sched: sched.Config{
		Workload: workload, Info: trajectory.Info{Trajectories: 4, Fixed: true}, Users: load.Constant(s.users), Seed: 42, Salt: salt,
		Wire:           chat.Wire{Model: "Qwen/Qwen3.6-35B-A3B", Stream: true, IncludeUsage: true, MaxTokensKey: "max_completion_tokens"},
		RoutingHeaders: []string{"X-Session-ID"},
	}}
}

// counter counts the same output for each turn.
type counter uint64

// About implements judge.Counter.
func (counter) About() verdict.About {
	return verdict.About{Name: "local/tokens", Kind: "counter", Version: "1.0.0", Digest: digest.Of([]byte("counter")), Unit: verdict.UnitTurn}
}

// Count implements judge.Counter. A counter of 0 counts nothing.
func (c counter) Count(_ context.Context, batch []judge.Item) ([]verdict.Count, error) {
	list := make([]verdict.Count, len(batch))
	for i := range list {
		if c == 0 {
			list[i].Reason = "no tokenizer"
			continue
		}
		in, out, after := uint64(1000+i), uint64(c), uint64(c)-1
		list[i] = verdict.Count{Input: &in, Output: &out, AfterFirstChunk: &after}
	}
	return list, nil
}

// scorer gives a score that was agreed on.
type scorer struct {
	name  string
	micro int64
	units uint64
}

// About implements judge.Scorer.
func (s scorer) About() verdict.About {
	return verdict.About{Name: s.name, Kind: "scorer", Version: "1.0.0", Digest: digest.Of([]byte(s.name)), Unit: verdict.UnitTurn}
}

// Score implements judge.Scorer.
func (scorer) Score(context.Context, []judge.Item) (judge.Scored, error) { return judge.Scored{}, nil }

// Fold implements judge.Scorer.
func (scorer) Fold(context.Context, []byte, []byte) ([]byte, error) { return nil, nil }

// Conclude implements judge.Scorer.
func (s scorer) Conclude(context.Context, judge.Conclusion) (verdict.Score, error) {
	return verdict.Score{Score: &verdict.Value{Name: "score", Micro: s.micro, Unit: "share"}, HigherIsBetter: true, Complete: s.micro >= 0, Scored: s.units}, nil
}
