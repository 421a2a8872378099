package inline

import (
	"bytes"
	"encoding/json"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
)

// row is what the test needs of a golden data set row.
type row struct {
	ConversationID string `json:"conversation_id"`
	Turn           int
	Role           string
	Content        json.RawMessage `json:"content,omitempty"`
	ToolCalls      json.RawMessage `json:"tool_calls,omitempty"`
	IntentCodes    json.RawMessage `json:"intent_codes,omitempty"`
}

// event is one line of the reference's events file.
type event struct {
	Type string `json:"event_type"`
	UUID string `json:"sample_uuid"`
	ID   string `json:"conversation_id"`
	Turn *int
	Data json.RawMessage
}

func lines[T any](t *testing.T, name string) []T {
	t.Helper()
	text, err := os.ReadFile("testdata/inline_e2e/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range bytes.Lines(text) {
		var v T
		if json.Unmarshal(line, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// answer makes a message of the reference's stored output; it merges tool calls that came in pieces.
func answer(t *testing.T, data json.RawMessage) []byte {
	t.Helper()
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) < 4 {
		return nil
	}
	message := map[string]any{"role": "assistant"}
	var text string
	if json.Unmarshal(parts[1], &text) == nil {
		message["content"] = text
	}
	var pieces [][]map[string]any
	var calls []map[string]any
	if json.Unmarshal(parts[3], &pieces) == nil {
		for _, piece := range pieces {
			for _, delta := range piece {
				if len(calls) == 0 {
					calls = append(calls, delta)
					continue
				}
				f := calls[0]["function"].(map[string]any)
				f["arguments"] = f["arguments"].(string) + delta["function"].(map[string]any)["arguments"].(string)
			}
		}
	} else if err := json.Unmarshal(parts[3], &calls); err != nil {
		t.Fatal(err)
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// goldenSamples makes samples of the golden run, in the order in which a judge gets them.
func goldenSamples(t *testing.T) []sdk.Sample {
	t.Helper()
	rows := map[string]row{}
	for _, r := range lines[row](t, "dataset.jsonl") {
		rows[r.ConversationID+"/"+strconv.Itoa(r.Turn)] = r
	}
	done := map[string][]byte{}
	events := lines[event](t, "events.jsonl")
	for _, e := range events {
		if m := answer(t, e.Data); e.Type == "sample.complete" && m != nil {
			done[e.UUID] = m
		}
	}
	var samples []sdk.Sample
	for _, e := range events {
		if e.Type != "sample.issued" || e.Turn == nil {
			continue
		}
		id, repeat, repeated := strings.Cut(e.ID, "__repeat_")
		s := sdk.Sample{Trajectory: id, Turn: uint32(*e.Turn-1) / 2, Outcome: "status", Phase: "measure"}
		if repeated {
			n, _ := strconv.Atoi(repeat)
			s.Repeat = uint32(n - 1)
		}
		if m := done[e.UUID]; m != nil {
			s.Outcome, s.Answer = "ok", &sdk.Answer{Message: m}
		}
		if r, found := rows[id+"/"+strconv.Itoa(*e.Turn+1)]; found {
			s.Recorded, _ = json.Marshal(r)
			s.Truth, _ = json.Marshal(map[string]any{"turn": r.Turn, "intent_codes": r.IntentCodes})
		}
		samples = append(samples, s)
	}
	sort.SliceStable(samples, func(i, j int) bool {
		a, b := samples[i], samples[j]
		if a.Trajectory != b.Trajectory {
			return a.Trajectory < b.Trajectory
		}
		return a.Repeat < b.Repeat
	})
	return samples
}

func conclude(t *testing.T, s *scorer, samples []sdk.Sample, batch int) (*sdk.ConcludeScoreResponse, []sdk.ItemScore) {
	t.Helper()
	var account []byte
	var all []sdk.ItemScore
	for len(samples) > 0 {
		n := min(batch, len(samples))
		items, part, err := s.Score(samples[:n])
		if err != nil {
			t.Fatal(err)
		}
		if account, err = s.Fold(account, part); err != nil {
			t.Fatal(err)
		}
		all, samples = append(all, items...), samples[n:]
	}
	out, err := s.Conclude(&sdk.ConcludeRequest{Account: account})
	if err != nil {
		t.Fatal(err)
	}
	return out, all
}

func TestGoldenRun(t *testing.T) {
	text, err := os.ReadFile("testdata/inline_e2e/scores.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		PerTurn []map[string]any `json:"per_turn"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{1, 2, 100} {
		out, items := conclude(t, &scorer{}, goldenSamples(t), batch)
		var got []map[string]any
		excluded := 0
		for _, item := range items {
			if item.Reason == "no ground truth" {
				excluded++
			}
			if !item.Scored {
				continue
			}
			var d map[string]any
			if err := json.Unmarshal(item.Detail, &d); err != nil {
				t.Fatal(err)
			}
			delete(d, "common") // ours only
			delete(d, "union")
			got = append(got, d)
		}
		if diff := cmp.Diff(golden.PerTurn, got); diff != "" {
			t.Error(diff)
		}
		if excluded != 2 {
			t.Errorf("%d turns excluded", excluded)
		}
		want := &sdk.ConcludeScoreResponse{
			Score: &sdk.Value{Name: "inline", Micro: 533333, Unit: "share"}, HigherIsBetter: true, Complete: true,
			Scored: 5, Missing: 1, Excluded: 2,
			Parts: []sdk.Value{
				{Name: "reference_rounded", Micro: 533300, Unit: "share"},
				{Name: "coding", Micro: 416667, Unit: "share"}, count("coding_scored", 4),
				{Name: "workflow", Micro: 1000000, Unit: "share"}, count("workflow_scored", 1),
				count("issued", 7), count("expected", 5), count("observed", 4), count("not_issued", 0), count("repeats", 2),
			},
		}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("batches of %d: %s", batch, diff)
		}
	}
}

const (
	bashLS  = `{"role":"assistant","tool_calls":[{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`
	bashCat = `{"role":"assistant","tool_calls":[{"function":{"name":"bash","arguments":"{\"command\":\"cat x\"}"}}]}`
)

func TestWhatCounts(t *testing.T) {
	ok := sdk.Sample{Trajectory: "a", Outcome: "ok", Phase: "measure", Recorded: []byte(bashLS), Answer: &sdk.Answer{Message: []byte(bashLS)}}
	with := func(change func(*sdk.Sample)) sdk.Sample {
		s := ok
		change(&s)
		return s
	}
	for _, tc := range []struct {
		name   string
		sample sdk.Sample
		scored bool
		micro  int64
		reason string
	}{
		{"equal", ok, true, 1_000_000, ""},
		{"other", with(func(s *sdk.Sample) { s.Answer = &sdk.Answer{Message: []byte(bashCat)} }), true, 0, ""},
		{"failed with half an answer", with(func(s *sdk.Sample) { s.Outcome = "truncated" }), true, 0, "no answer: truncated"},
		{"after a failure", with(func(s *sdk.Sample) { s.Outcome, s.Cause, s.Answer = "not_sent", "prior_failure", nil }), true, 0, "no answer: not_sent"},
		{"cut by the end of the run", with(func(s *sdk.Sample) { s.Outcome = "cancelled" }), true, 0, "no answer: cancelled"},
		{"after the end of the run", with(func(s *sdk.Sample) { s.Outcome, s.Cause, s.Answer = "not_sent", "run_ended", nil }), false, 0, "not issued: run_ended"},
		{"last row", with(func(s *sdk.Sample) { s.Recorded = nil }), false, 0, "no recorded answer"},
		{"warm-up", with(func(s *sdk.Sample) { s.Phase = "warmup" }), false, 0, "warm-up"},
		{"answer that is no JSON", with(func(s *sdk.Sample) { s.Answer = &sdk.Answer{Message: []byte("{")} }), true, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			items, account, err := (&scorer{}).Score([]sdk.Sample{tc.sample})
			if err != nil {
				t.Fatal(err)
			}
			item := items[0]
			if item.Scored != tc.scored || item.Micro != tc.micro || item.Reason != tc.reason {
				t.Errorf("item %+v", item)
			}
			out, err := (&scorer{}).Conclude(&sdk.ConcludeRequest{Account: account})
			if err != nil || (out.Score != nil) != tc.scored || out.Complete != tc.scored {
				t.Errorf("score %+v, %v", out, err)
			}
		})
	}
}

func TestThreshold(t *testing.T) {
	sample := sdk.Sample{Trajectory: "a", Outcome: "ok", Recorded: []byte(bashLS), Answer: &sdk.Answer{Message: []byte(bashLS)}}
	ended := sdk.Sample{Trajectory: "b", Outcome: "not_sent", Cause: "run_ended", Recorded: []byte(bashLS)}
	for _, tc := range []struct {
		config  string
		samples []sdk.Sample
		passed  bool
	}{
		{`{"min_percent":55.86}`, []sdk.Sample{sample}, true},
		{`{"min_percent":100}`, []sdk.Sample{sample}, true},
		{`{"min_percent":55.86}`, []sdk.Sample{sample, ended}, false},
		{`{"min_percent":0}`, nil, false},
		{`{}`, []sdk.Sample{sample}, false},
	} {
		s, err := open(&sdk.Opening{Config: []byte(tc.config)})
		if err != nil {
			t.Fatal(err)
		}
		out, _ := conclude(t, s, tc.samples, 10)
		if out.Passed != tc.passed {
			t.Errorf("%s over %d samples: %+v", tc.config, len(tc.samples), out)
		}
	}
	for config, pointer := range map[string]string{
		`{"min_percent":"5"}`:      "/min_percent",
		`{"min_percent":101}`:      "/min_percent",
		`{"min_percent":-1}`:       "/min_percent",
		`{"min_percent":55.86001}`: "/min_percent",
		`{"minimum":1}`:            "/minimum",
	} {
		_, err := open(&sdk.Opening{Config: []byte(config)})
		faults, _ := err.(sdk.Faults)
		if len(faults) != 1 || faults[0].Pointer != pointer {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestAccount(t *testing.T) {
	if _, err := decodeAccount([]byte(`{"issued":1}`)); err == nil {
		t.Error("an account without numbers is accepted")
	}
	if _, err := decodeAccount([]byte(`{`)); err == nil {
		t.Error("a broken account is accepted")
	}
	third := sum{scored: 3, pico: pico}
	if got := third.mean(6); got != 333333 {
		t.Errorf("a third is %d", got)
	}
	if got := string(appendFourPlaces(nil, 6667)) + " " + string(appendFourPlaces(nil, 0)) + " " + string(appendFourPlaces(nil, 500)); got != "0.6667 0.0 0.05" {
		t.Error(got)
	}
}
