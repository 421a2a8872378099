package judge_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/verdict"
)

// picky passes a target of version 1 alone, and finds something that hangs on no target.
type picky struct{ validator }

func (picky) Preflight(_ context.Context, facts []verdict.Fact, _ json.RawMessage) ([]verdict.Finding, error) {
	return []verdict.Finding{{Severity: verdict.Info, Code: "version", Message: string(facts[0].Body)}}, nil
}

func (picky) Conclude(_ context.Context, c judge.Conclusion) (verdict.Verdict, error) {
	v := verdict.Verdict{Passed: true, Findings: []verdict.Finding{{Severity: verdict.Info, Code: "turns", Message: "all answered"}}}
	if version := string(c.Facts[len(c.Facts)-1].Body); version != "1" {
		v.Passed, v.Reason = false, "it is version "+version
		v.Findings = append(v.Findings, verdict.Finding{Severity: verdict.Error, Code: "version", Message: version})
	}
	return v, nil
}

// TestFactsOfSeveralTargets: a validator sees the facts of one target at a time, and must pass each.
func TestFactsOfSeveralTargets(t *testing.T) {
	f := &fake{about: about(verdict.UnitTurn)}
	f.about.Probes = []verdict.Probe{{ID: "version"}, {ID: "later", After: true}}
	c := judge.Config{Run: &journal.Run{}}
	for _, x := range []struct{ probe, target, body string }{{"version", "a", "1"}, {"version", "b", "1"}, {"later", "a", "1"}, {"later", "b", "2"}} {
		c.Run.Facts = append(c.Run.Facts, journal.Probe{Fact: verdict.Fact{Probe: x.probe, Target: x.target, Body: []byte(x.body)}})
	}
	j, err := judge.New(c).Validate(t.Context(), picky{validator{f}}, json.RawMessage(`{}`))
	if err != nil || j.Error != "" {
		t.Fatal(err, j.Error)
	}
	if j.Verdict.Passed || j.Verdict.Reason != "target b: it is version 2" {
		t.Errorf("%+v", j.Verdict)
	}
	var texts []string
	for _, f := range append(j.Preflight, j.Verdict.Findings...) {
		texts = append(texts, f.Message)
	}
	if d := cmp.Diff([]string{"target a: 1", "target b: 1", "all answered", "target b: 2"}, texts); d != "" {
		t.Error(d)
	}
}
