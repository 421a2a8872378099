package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"paceline/core/coretest"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func both(t testing.TB, in Input) (doc, text []byte, r *Result) {
	t.Helper()
	r, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	var j, x bytes.Buffer
	if err := errors.Join(WriteJSON(&j, r), WriteText(&x, r)); err != nil {
		t.Fatal(err)
	}
	return j.Bytes(), x.Bytes(), r
}

func checkText(t testing.TB, text []byte) {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > width || strings.ContainsAny(line, "\x1b\r\x00") || strings.TrimRight(line, " ") != line {
			t.Errorf("%d columns, or not plain: %q", n, line)
		}
	}
	for _, word := range []string{"NaN", "Inf"} {
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("the text has %q", word)
		}
	}
}

func TestGolden(t *testing.T) {
	doc, text, _ := both(t, small())
	coretest.Golden(t, "testdata/report.json", doc)
	coretest.Golden(t, "testdata/report.txt", text)
	checkText(t, text)
	if !json.Valid(doc) {
		t.Error("report.json is not JSON")
	}
}

func TestSameInputSameBytes(t *testing.T) {
	doc, text, _ := both(t, small())
	for range 10 {
		again, txt, _ := both(t, small())
		if !bytes.Equal(doc, again) || !bytes.Equal(text, txt) {
			t.Fatal("equal input, other bytes")
		}
	}
}

func codes(r *Result) string {
	var list []string
	for _, w := range r.Warnings {
		list = append(list, w.Code)
	}
	return strings.Join(list, " ")
}

// What a run may have been through, and what the report says of it.
func TestStatusAndWarnings(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(in *Input)
		status   Status
		warnings string
	}{
		{"as it is", func(*Input) {}, Complete, "failures"},
		{"failures allowed", func(in *Input) {
			in.Config.Config = bytes.Replace(in.Config.Config, []byte(`"0%"`), []byte(`"10%"`), 1)
		}, Complete, ""},
		{"time limit", func(in *Input) { in.Run.Foot.Reason = journal.ReasonDuration }, TimeLimit, "time_limit failures"},
		{"interrupted", func(in *Input) { in.Run.Foot.Reason = journal.ReasonInterrupted }, Interrupted, "interrupted failures"},
		{"killed", func(in *Input) { in.Run.Foot, in.Run.Incomplete = nil, true }, Incomplete, "incomplete failures"},
		{"lost", func(in *Input) { in.Run.Foot.Lost = 2 }, Failed, "failed failures client_invalid"},
		{"late", func(in *Input) { in.Run.Samples[0].Timing.Due = 0; in.Run.Samples[0].Timing.Sent = ms(30) }, Complete, "failures client_disturbed"},
		{"cached from before", func(in *Input) { in.Run.Samples[0].Answer.Usage.CachedTokens = ptr(uint64(16)) }, Complete, "failures cached_first_turns"},
		{"salted", func(in *Input) {
			in.Run.Samples[0].Answer.Usage.CachedTokens = ptr(uint64(16))
			in.Config.Salt.Scheme = "seeded"
		}, Complete, "failures"},
		{"no usage", func(in *Input) {
			for i := range in.Run.Samples {
				if a := in.Run.Samples[i].Answer; a != nil {
					a.Usage.Reported = false
				}
			}
		}, Complete, "failures no_usage"},
		{"nothing ok", func(in *Input) {
			for i := range in.Run.Samples {
				in.Run.Samples[i].Outcome = sample.ConnectRefused
			}
			in.Run.Foot.Cause = "the endpoint is down"
		}, Failed, "failed failures"},
		{"nothing at all", func(in *Input) { in.Run.Samples, in.Run.Conversations = nil, nil }, Failed, "failed"},
		{"planned otherwise", func(in *Input) { in.Judgements[2].Error = "workload w is not deterministic" }, Failed, "failed failures"},
		{"planned otherwise and nothing ok", func(in *Input) {
			in.Judgements[2].Error = "workload w is not deterministic"
			for i := range in.Run.Samples {
				in.Run.Samples[i].Outcome = sample.ConnectRefused
			}
		}, Failed, "failed unsteady_workload failures"},
		{"not planned again", func(in *Input) { in.Judgements = in.Judgements[:2] }, Complete, "failures"},
		{"a trajectory could not be planned", func(in *Input) {
			in.Run.Conversations = append(in.Run.Conversations, sample.Conversation{State: sample.Broken, Cause: "plan trajectory 7: trap"})
		}, Failed, "failed failures"},
		{"a trajectory could not be planned, and no turn is ok", func(in *Input) {
			in.Run.Samples, in.Run.Conversations = nil, []sample.Conversation{{State: sample.Broken, Cause: "plan trajectory 7: trap"}}
		}, Failed, "failed"},
		{"neither planned nor deterministic", func(in *Input) {
			in.Run.Conversations = append(in.Run.Conversations, sample.Conversation{State: sample.Broken})
			in.Judgements[2].Error = "workload w is not deterministic"
		}, Failed, "failed no_trajectory failures"},
		{"an agent's step failed", func(in *Input) { in.Run.Conversations[0].State = sample.Broken }, Complete, "plugin_error failures"},
		{"a judge traps", func(in *Input) {
			in.Judgements[1].PluginErrors = []verdict.UnitError{{Trajectory: "a", Kind: "trap", Error: "unreachable"}}
			in.Judgements[1].Verdict.Passed = true
		}, Complete, "failures judge_incomplete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := small()
			c.change(&in)
			doc, text, r := both(t, in)
			if r.Status != c.status || codes(r) != c.warnings {
				t.Errorf("%s with warnings %q, want %s, %q", r.Status, codes(r), c.status, c.warnings)
			}
			if len(r.Verdicts) > 0 && r.Verdicts[0].Passed {
				t.Error("the verdict is passed")
			}
			checkText(t, text)
			checkSchema(t, doc)
		})
	}
}

func TestUnofficial(t *testing.T) {
	in := small()
	in.Config.Lock = journal.LockState{State: "pinned", Unofficial: []string{"dev-plugin mlperf"}, Digest: ptr(digest.Of(nil))}
	in.Config.Build.Dirty = true
	in.Config.Config = bytes.Replace(in.Config.Config, []byte(`"override": {}`), []byte(`"override": {"seed":1}`), 1)
	_, _, r := both(t, in)
	if len(r.Unofficial) != 3 {
		t.Errorf("unofficial: %q", r.Unofficial)
	}
	in = small()
	in.Config.Lock.State = "pinned"
	if _, _, r = both(t, in); len(r.Unofficial) != 0 {
		t.Errorf("unofficial: %q", r.Unofficial)
	}
}

// Names and messages of strangers reach a terminal as plain text.
func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\r\n\x00", strings.Repeat("long", 60), "\xff\xfe \u202e right to left")
	base, err := Build(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		r := *base
		r.Run, r.Reason, r.Unofficial = b, a, []string{c}
		r.Warnings = []Warning{{Code: a, Message: c}}
		r.What.Endpoint, r.What.Workload.Name, r.What.Workload.Losses = a, b, []string{c, a}
		r.What.Inputs = []journal.Input{{Name: b, Path: c}}
		r.What.Plugins = []journal.Plugin{{Name: a, Version: c}}
		r.Preset = &Preset{Name: a + b + c, Thresholds: []Threshold{{Metric: b + a, Reason: c}, {Component: c, Value: a}},
			Rules: &journal.Rules{Of: a, Status: b, Reason: c}, Departures: []journal.Departure{{Key: c, Preset: []byte("1"), Run: []byte("null"), Origin: a}}}
		r.Scores = []Score{{Judge: Judge{Name: a, Version: b}, Unit: c}}
		r.Verdicts = []Verdict{{
			Judge: Judge{Name: c}, Reason: b, Values: []Value{{Name: c, Unit: b}},
			First: []verdict.Finding{{Code: a, Message: b, Trajectory: c}},
		}}
		m := *base.Metrics
		m.Groups.Label = slices.Clone(m.Groups.Domain)
		m.Groups.Label[0].Name = b
		m.Failures.NotSentBy = []metrics.Class{{Name: c, Count: 1}}
		r.Metrics = &m
		var x bytes.Buffer
		if err := WriteText(&x, &r); err != nil {
			t.Fatal(err)
		}
		checkText(t, x.Bytes())
	})
}
