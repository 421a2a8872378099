package session_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// labelled is a Meter that says whose it is.
type labelled string

func (l labelled) Read(context.Context) journal.Telemetry {
	return journal.Telemetry{Source: "http://" + string(l) + "/metrics", Reading: &engine.Reading{Engine: engine.VLLM, Values: map[engine.Quantity]int64{engine.Running: 1}}}
}

// atTwo plays six conversations of three turns at targets a and b, each with its script; nil: nobody listens there.
func atTwo(t *testing.T, scripts map[string]*coretest.Script, validators ...judge.Validator) (out *played, requests map[string][]coretest.Request) {
	t.Helper()
	out, requests = &played{dir: filepath.Join(t.TempDir(), "run")}, map[string][]coretest.Request{}
	synctest.Test(t, func(t *testing.T) {
		network, epoch := coretest.NewNetwork(), time.Now()
		var list []*trajectory.Trajectory
		for i := range 6 {
			list = append(list, talk(fmt.Sprintf("t%d", i), 3))
		}
		parts := &session.Parts{Source: sourceOf(list...), Epoch: epoch, Validators: validators}
		p := &play{source: sourceOf(list...), stream: true, changed: func(c *journal.RunConfig) { c.Endpoint = "" }}
		p.sched = func(c *sched.Config) { c.Users = load.Constant(3) }
		var info endpoint.Info
		for _, name := range []string{"a", "b"} {
			if script := scripts[name]; script != nil {
				l, err := network.Listen(name + ":8000")
				if err != nil {
					t.Fatal(err)
				}
				e := coretest.Serve(l, script)
				defer func() { e.Stop(); requests[name] = e.Requests() }()
			}
			client, err := endpoint.New(endpoint.Config{URL: "http://" + name + ":8000/v1", Dial: network.Dial}, epoch)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			info = client.Info()
			parts.Targets = append(parts.Targets, session.Target{Name: name, Issuer: client, Prober: session.EndpointProber{Client: client}, Meter: labelled(name)})
		}
		plan := p.plan(t, out.dir, info)
		for _, target := range parts.Targets {
			plan.Sched.Targets = append(plan.Sched.Targets, sched.Target{Name: target.Name, Weight: 1})
			plan.Config.Targets = append(plan.Config.Targets, journal.Target{Name: target.Name, Endpoint: "http://" + target.Name + ":8000/v1/chat/completions", Weight: 1})
		}
		out.result, out.err = session.Play(t.Context(), plan, parts)
	})
	return out, requests
}

func always(r coretest.Reply) *coretest.Script { return &coretest.Script{Replies: []coretest.Reply{r}} }

// TestTargets: every turn of a conversation is at the server that its record names, and what the servers tell is kept apart.
func TestTargets(t *testing.T) {
	p, requests := atTwo(t, map[string]*coretest.Script{"a": always(three()), "b": always(three())})
	run := p.good(t).journal(t)
	turns := map[string]int{}
	for _, c := range run.Conversations {
		for _, name := range []string{"a", "b"} {
			if here := carries(sent(requests[name]), c.Trajectory+" asks"); here != (name == c.Target) {
				t.Errorf("%s is bound to %q; a request of it at %s: %v", c.Trajectory, c.Target, name, here)
			}
		}
		turns[c.Target] += c.Planned
	}
	if turns["a"] != 9 || turns["b"] != 9 || len(sent(requests["a"])) != 9 || len(sent(requests["b"])) != 9 {
		t.Errorf("turns by target %v", turns)
	}
	readings := map[string]int{}
	for _, r := range run.Telemetry {
		if readings[r.Target]++; !strings.Contains(r.Source, "//"+r.Target+"/") {
			t.Errorf("a reading of %s is told of %s", r.Source, r.Target)
		}
	}
	if readings["a"] < 2 || readings["a"] != readings["b"] {
		t.Errorf("readings %v", readings)
	}
	p.recomputes(t, p.judge(t, &session.Judges{}))
}

// TestDeadTarget: only the conversations that are bound to it fail.
func TestDeadTarget(t *testing.T) {
	p, requests := atTwo(t, map[string]*coretest.Script{"a": always(three())})
	run := p.good(t).journal(t)
	for _, c := range run.Conversations {
		if want := map[string]sample.State{"a": sample.Complete, "b": sample.Failed}[c.Target]; c.State != want {
			t.Errorf("%s at %s is %s", c.Trajectory, c.Target, c.State)
		}
	}
	if got := outcomes(run); got["ok"] != 9 || got["connect_refused"] != 3 || len(sent(requests["a"])) != 9 {
		t.Errorf("%v", got)
	}
}

// TestEachTargetIsProbed: validators are asked about every target, and one that is refused ends the run before any load.
func TestEachTargetIsProbed(t *testing.T) {
	v := newFake("validator")
	v.about.Probes = []verdict.Probe{{ID: "version", GetPath: "/version"}}
	v.preflight = []verdict.Finding{finding(verdict.Error, "no")}
	p, requests := atTwo(t, map[string]*coretest.Script{"a": always(three()), "b": always(three())}, v)
	if p.err == nil || !strings.Contains(p.err.Error(), "target b: ") || len(requests["a"]) != 1 || len(requests["b"]) != 1 {
		t.Errorf("%v, %d and %d requests", p.err, len(requests["a"]), len(requests["b"]))
	}
}

// TestRecheckAsksTheSameTarget: a turn that ended without a word is asked about once more where it was asked.
func TestRecheckAsksTheSameTarget(t *testing.T) {
	p, requests := atTwo(t, map[string]*coretest.Script{"a": always(three()), "b": always(streamed())})
	run := p.good(t).journal(t)
	if len(run.Rechecks) != 3 {
		t.Errorf("%d rechecks", len(run.Rechecks))
	}
	whole := 0
	for name, list := range requests {
		for _, body := range sent(list) {
			if !bytes.Contains(body, []byte(`"stream":true`)) {
				if whole++; name != "b" {
					t.Errorf("target %s is asked again: %s", name, body)
				}
			}
		}
	}
	if whole != 3 {
		t.Errorf("%d requests are not streamed", whole)
	}
}
