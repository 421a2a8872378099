package answers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/codeqa/task"
)

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		form   task.Form
		accept string
		yes    []string
		no     []string
	}{
		{task.Number, "40", []string{"40", "It is 40 metres.", "40.0", "**40**", "(40)", "40m", "= 40,", "040", "40.", "~40", "40 or 50"}, []string{"140", "4", "40.5", "x40", "v1.40", "-40", "1:40", "40-50x40", "2040-40-01", "forty", "0x40", "40a1", "40_000", "40,000"}},
		{task.Number, "8500", []string{"8500", "8,500 ms", "8_500", "8500.00"}, []string{"8,50", "85,00", "18,500", "8,500,000"}},
		{task.Number, "0.2", []string{"0.20 m", "0.2"}, []string{".2", "0.25", "10.2", "0,2"}},
		{task.Number, "-97", []string{"-97 dBm", "is -97.0"}, []string{"97", "x-97"}},
		{task.Number, "six", []string{"Six berths", "six"}, []string{"sixty", "6"}},
		{task.Exact, "split_raft", []string{"`split_raft`", "assign.split_raft()", "planner::split_raft.", "split_raft"}, []string{"Split_Raft", "split_raft2", "_split_raft", "split_raft-x", "split"}},
		{task.Exact, "calls.stranded", []string{"the topic calls.stranded.", `"calls.stranded"`}, []string{"calls.strandedx", "calls.stranded.old", "xcalls.stranded", "calls_stranded"}},
		{task.Exact, "GRY-2", []string{"GRY-2", "berth GRY-2, 8.9 m"}, []string{"GRY-20", "gry-2", "X-GRY-2", "GRY-2-b"}},
		{task.FilePath, "tide/src/grid.rs", []string{"tide/src/grid.rs", "./tide/src/grid.rs", "/tide/src/grid.rs:12", "`tide/src/grid.rs`."}, []string{"x/tide/src/grid.rs", "tide/src/grid.rs.bak", "tide/src/grid.rsx", "Tide/src/grid.rs", "../tide/src/grid.rs", "atide/src/grid.rs"}},
		{task.Text, "Tomasz Ekholm", []string{"It is tomasz  EKHOLM.", "Tomasz\nEkholm"}, []string{"Tomasz Ekholmsen", "Ekholm"}},
		{task.Text, "länger als", []string{"LÄNGER ALS"}, []string{"verlänger als"}},
	} {
		for _, text := range c.yes {
			if !Holds(c.form, []string{"~~", c.accept}, text) {
				t.Errorf("%s %q is not found in %q", c.form, c.accept, text)
			}
		}
		for _, text := range c.no {
			if Holds(c.form, []string{c.accept}, text) {
				t.Errorf("%s %q is found in %q", c.form, c.accept, text)
			}
		}
	}
}

func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"It is not 30.\nAnswer: 45": " 45", "answer: 1\n**Answer:** 2": "** 2", "Answer:\n45": "\n45", "Answer: 4\nAnswer:": " 4\nAnswer:", "no label": "no label",
		"The answer: 7": "The answer: 7", "- Answer: 8\n": " 8\n", "": "",
	} {
		if got := Said(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

var plugin = sdk.Plugin{Name: "codeqa", Version: "0.1.0", Components: []sdk.Component{Component()}}

const truth = `{"kind":"value","form":"number","answers":["40"],"files":["a"]}`

// conversation makes the samples of one: turns that went well and a last one.
func conversation(index uint64, outcome, answer string, turns int) []sdk.Sample {
	var list []sdk.Sample
	end := fmt.Appendf(nil, `{"task":"t","outcome":%q,"steps":%d,"calls":%d,"failed_calls":1,"repeated_calls":0}`, outcome, turns, turns-1)
	if outcome == "" {
		end = nil
	}
	for i := range turns {
		message, err := json.Marshal(map[string]string{"role": "assistant", "content": answer})
		if err != nil {
			panic(err)
		}
		list = append(list, sdk.Sample{Trajectory: fmt.Sprint("t", index), TrajectoryIndex: index, Turn: uint32(i), Outcome: "ok", Phase: "measure",
			TrajectoryTruth: []byte(truth), EndResult: end, Answer: &sdk.Answer{Message: message, Outcome: "ok"}})
	}
	return list
}

func TestScore(t *testing.T) {
	c := sdktest.Open(t, &plugin, "answers", sdktest.Options{Config: `{"min_percent":25}`})
	changed := func(list []sdk.Sample, change func(last *sdk.Sample)) []sdk.Sample {
		change(&list[len(list)-1])
		return list
	}
	for name, x := range map[string]struct {
		samples []sdk.Sample
		scored  bool
		micro   int64
		reason  string
	}{
		"solved":        {conversation(0, "answered", "Answer: 40", 3), true, 1_000_000, ""},
		"wrong":         {conversation(1, "answered", "Answer: 41", 2), true, 0, "another answer"},
		"a listing":     {conversation(1, "answered", "40 "+strings.Repeat("x ", 2000), 2), true, 0, "longer than 4000"},
		"thinking":      {conversation(1, "answered", "<think>40?</think>41", 2), true, 0, "another answer"},
		"gave up":       {conversation(2, "gave-up", "40", 4), true, 0, "no answer within"},
		"empty":         {conversation(3, "empty", "", 2), true, 0, "empty answers"},
		"failed":        {changed(conversation(4, "", "40", 2), func(s *sdk.Sample) { s.Outcome, s.Answer = "timeout", nil }), true, 0, "failed: timeout"},
		"broken":        {conversation(5, "", "40", 2), true, 0, "failed: no end"},
		"run ended":     {changed(conversation(6, "", "", 2), func(s *sdk.Sample) { s.Outcome, s.Cause = "not_sent", "run_ended" }), false, 0, "the run ended"},
		"cancelled":     {changed(conversation(7, "", "", 1), func(s *sdk.Sample) { s.Outcome = "cancelled" }), false, 0, "the run ended"},
		"warm-up":       {changed(conversation(8, "answered", "40", 1), func(s *sdk.Sample) { s.Phase = "warmup" }), false, 0, "warm-up"},
		"not a task":    {changed(conversation(9, "answered", "40", 1), func(s *sdk.Sample) { s.TrajectoryTruth = nil }), false, 0, "no question"},
		"answer absent": {changed(conversation(9, "answered", "40", 1), func(s *sdk.Sample) { s.Answer = nil }), true, 0, "no answer was recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := c.Score(x.samples...)
			if err != nil || len(r.Items) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			if item := r.Items[0]; item.Scored != x.scored || item.Micro != x.micro || !strings.Contains(item.Reason, x.reason) || item.Turn != nil ||
				item.Scored && !json.Valid(item.Detail) {
				t.Errorf("got %+v", item)
			}
		})
	}
}

func TestConclusion(t *testing.T) {
	c := sdktest.Open(t, &plugin, "answers", sdktest.Options{Config: `{"min_percent":25}`})
	solved, err := c.Score(append(conversation(0, "answered", "40", 3), conversation(1, "gave-up", "", 5)...)...)
	if err != nil || len(solved.Items) != 2 {
		t.Fatalf("%+v, %v", solved, err)
	}
	failed, err := c.Score(append(conversation(2, "", "", 1), conversation(3, "empty", "", 2)...)...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ConcludeScore(sdk.ConcludeRequest{}, solved.Account, failed.Account)
	if err != nil || got.Score.Micro != 250_000 || !got.Passed || !got.Complete || got.Scored != 4 || got.Missing != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, p := range got.Parts {
		if want, ok := map[string]int64{"value": 250_000, "value_tasks": 4e6, "steps_per_task": 3_333_333, "calls_per_task": 2_333_333, "gave_up": 1e6, "empty": 1e6, "failed": 1e6, "cut": 0}[p.Name]; ok && p.Micro != want {
			t.Errorf("part %s is %d, want %d", p.Name, p.Micro, want)
		}
	}
	// A run that was cut short is incomplete and does not pass.
	cut := conversation(4, "", "", 1)
	cut[0].Outcome, cut[0].Cause = "not_sent", "run_ended"
	more, err := c.Score(cut...)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = c.ConcludeScore(sdk.ConcludeRequest{}, solved.Account, more.Account); err != nil || got.Complete || got.Passed || got.Scored != 2 || got.Excluded != 1 {
		t.Errorf("cut short: %+v, %v", got, err)
	}
	if got, err = c.ConcludeScore(sdk.ConcludeRequest{}); err != nil || got.Score != nil || got.Passed || got.Complete {
		t.Errorf("nothing: %+v, %v", got, err)
	}
	if _, err := c.ConcludeScore(sdk.ConcludeRequest{}, []byte(`{"counted":1}`)); err == nil {
		t.Error("a damaged account is taken")
	}
}

func TestConfiguration(t *testing.T) {
	for _, config := range []string{`{"min_percent":101}`, `{"min_percent":1.00001}`, `{"least":1}`} {
		if _, err := sdktest.TryOpen(t, &plugin, "answers", sdktest.Options{Config: config}); err == nil {
			t.Errorf("%s is taken", config)
		}
	}
}

func FuzzHolds(f *testing.F) {
	f.Add("40", "It is 40.")
	f.Add("-1.50", "x -1.5 y")
	f.Fuzz(func(t *testing.T, want, text string) {
		for _, form := range []task.Form{task.Number, task.Exact, task.FilePath, task.Text} {
			Holds(form, []string{want}, Said(text))
		}
	})
}
