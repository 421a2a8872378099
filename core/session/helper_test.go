package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/metrics"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

const (
	workload = "std/test/talk"
	root     = 42
	canary   = "canary-7c1f"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// talk is a trajectory of user turns, each with a recorded answer and a truth that no request may carry.
func talk(id string, turns int) *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: id, Domain: "coding", Truth: json.RawMessage(`"` + canary + `"`)}
	for i := range turns {
		t.Turns = append(t.Turns, trajectory.Turn{
			Index:    uint32(i),
			Append:   []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"%s asks %d"}`, id, i)}},
			Recorded: &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"%s says %d"}`, id, i)},
			Final:    i == turns-1,
			Truth:    fmt.Appendf(nil, `{"answer":"%s %s %d"}`, canary, id, i),
		})
	}
	return t
}

// source is a workload in memory.
type source []*trajectory.Trajectory

func sourceOf(list ...*trajectory.Trajectory) source {
	for i, t := range list {
		t.Index = uint64(i)
	}
	return list
}

func (s source) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	return s[index], nil
}

// play is one run in virtual time.
type play struct {
	source  source
	script  *coretest.Script
	serve   func(ctx context.Context, l *coretest.Listener) // in place of a script
	down    bool                                            // nobody listens
	window  string
	stream  bool
	sched   func(*sched.Config)
	parts   func(*session.Parts)
	max     string // max_failed
	quiet   bool   // do not ask again about silent turns
	api     chat.API
	changed func(*journal.RunConfig)
	before  func(*testing.T, *endpoint.Client) // is called before the run is planned
}

// played is what came of it.
type played struct {
	dir      string
	result   *session.Played
	err      error
	requests []coretest.Request
	elapsed  time.Duration // virtual, from the epoch to the return of Play
}

// run plays in a bubble of its own. Judging is done outside of it, since nothing there is timed.
func (p *play) run(t *testing.T) *played {
	t.Helper()
	out := &played{dir: filepath.Join(t.TempDir(), "run")}
	synctest.Test(t, func(t *testing.T) { p.inBubble(t, out) })
	return out
}

func (p *play) inBubble(t *testing.T, out *played) {
	network := coretest.NewNetwork()
	var target *coretest.Endpoint
	if !p.down {
		l, err := network.Listen("engine:8000")
		if err != nil {
			t.Fatal(err)
		}
		if p.serve != nil {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); p.serve(ctx, l) }()
			defer func() { cancel(); <-done }()
		} else {
			target = coretest.Serve(l, p.script)
			defer target.Stop()
		}
	}
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", API: p.api, Dial: network.Dial}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	parts := &session.Parts{Source: p.source, Issuer: client, Prober: session.EndpointProber{Client: client}, Epoch: epoch}
	if p.parts != nil {
		p.parts(parts)
	}
	if p.before != nil {
		p.before(t, client)
	}
	out.result, out.err = session.Play(t.Context(), p.plan(t, out.dir, client.Info()), parts)
	out.elapsed = time.Since(epoch)
	if target != nil {
		out.requests = target.Requests()
	}
}

func (p *play) plan(t *testing.T, dir string, info endpoint.Info) *session.Plan {
	t.Helper()
	none, err := chat.SaltSchemeByName("none")
	if err != nil {
		t.Fatal(err)
	}
	c := sched.Config{
		Workload: workload, Info: trajectory.Info{Trajectories: uint64(len(p.source)), Fixed: true},
		Users: load.Constant(1), Seed: root, Salt: none,
		Wire: chat.Wire{Model: "m", Stream: p.stream, IncludeUsage: p.stream, MaxTokensKey: "max_tokens", API: p.api},
	}
	if p.sched != nil {
		p.sched(&c)
	}
	config := fmt.Appendf(nil, `{"target":{"model":"m","stream":%v,"usage":true},"load":{"users":%d,"delays":true,"order":"file"},
		"history":"recorded","thinking":"keep","window":{"kind":%q,"trim":"20%%"},"max_failed":%q,
		"honesty":{"max_schedule_error_ns":1000000,"share_of_ttft":"1%%"}}`, p.stream, c.Users.Max(), or(p.window, metrics.All), or(p.max, "0%"))
	run := journal.RunConfig{
		Run: "20260829-101500-test", Config: config, Seed: "42", Salt: journal.Salt{Scheme: "none"},
		Build:    journal.Build{Version: "v0", Go: "go1.26.8", OS: "linux", Arch: "amd64"},
		Lock:     journal.LockState{State: "pinned"},
		Plugins:  []journal.Plugin{{Name: "std/test", Version: "1.2.3", Source: "std", SHA256: digestOf("plugin")}},
		Endpoint: info.URL, Proxy: info.Proxy, TLSVerify: info.TLSVerify,
		Workload: journal.Workload{Name: workload, Trajectories: uint64(len(p.source)), Fixed: true, Provenance: "recorded"},
	}
	if p.changed != nil {
		p.changed(&run)
	}
	return &session.Plan{Dir: dir, Config: run, Lock: []byte("{}\n"), Sched: c, Recheck: !p.quiet}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// good fails the test unless the run was played to its end.
func (p *played) good(t *testing.T) *played {
	t.Helper()
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.result.Lost != 0 || !p.result.Result.Valid() {
		t.Fatalf("%d records lost, faults %v", p.result.Lost, p.result.Result.Invalid)
	}
	return p
}

// judge judges and reports.
func (p *played) judge(t *testing.T, judges *session.Judges) *session.Reports {
	t.Helper()
	r, err := session.Judge(t.Context(), p.dir, judges)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// journal reads what was recorded.
func (p *played) journal(t *testing.T) *journal.Run {
	t.Helper()
	run, err := journal.Read(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// outcomes counts the samples of a run by outcome, not_sent with its cause.
func outcomes(run *journal.Run) map[string]int {
	m := map[string]int{}
	for i := range run.Samples {
		s := &run.Samples[i]
		key := string(s.Outcome)
		if s.Outcome == sample.NotSent {
			key += ": " + s.Cause
		}
		m[key]++
	}
	return m
}

// event is one event of a stream.
func event(at time.Duration, data string) coretest.Step {
	return coretest.Step{At: at, Data: []byte("data: " + data + "\n\n")}
}

func delta(at time.Duration, fields string) coretest.Step {
	return event(at, `{"choices":[{"index":0,"delta":{`+fields+`}}]}`)
}

func finish(at time.Duration, reason string) coretest.Step {
	return event(at, `{"choices":[{"index":0,"delta":{},"finish_reason":"`+reason+`"}]}`)
}

func end(at time.Duration) coretest.Step {
	return coretest.Step{At: at, Data: []byte("data: [DONE]\n\n")}
}

// streamed is a stream of a reply.
func streamed(steps ...coretest.Step) coretest.Reply {
	return coretest.Reply{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}},
		Body:    steps, End: coretest.EndKeepAlive,
	}
}

// three answers in 200 ms, with a token each at 50, 100 and 150 ms.
func three() coretest.Reply {
	return streamed(
		delta(ms(50), `"role":"assistant","content":"a"`), delta(ms(100), `"content":"b"`), delta(ms(150), `"content":"c"`),
		finish(ms(200), "stop"),
		event(ms(200), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3}}`),
		end(ms(200)),
	)
}

// sent are the bodies of the chat requests.
func sent(requests []coretest.Request) [][]byte {
	var bodies [][]byte
	for _, r := range requests {
		if r.Method == "POST" {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

func carries(bodies [][]byte, text string) bool {
	return slices.ContainsFunc(bodies, func(b []byte) bool { return bytes.Contains(b, []byte(text)) })
}

func finding(severity verdict.Severity, code string) verdict.Finding {
	return verdict.Finding{Severity: severity, Code: code, Message: "about " + code}
}
