package ast

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

func plugin() *sdk.Plugin {
	return &sdk.Plugin{Name: "bfcl", Version: "1.0.0", Components: []sdk.Component{Component()}}
}

const (
	called    = `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"i\":1}"}}]}`
	otherwise = `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"i\":2}"}}]}`
	words     = `{"role":"assistant","content":"no"}`
)

func truthOf(category string) []byte {
	return []byte(` {"category":"` + category + `","function":[{"name":"f","parameters":{"properties":{"i":{"type":"integer"}},"required":[]}}],` +
		`"ground_truth":[{"f":{"i":[1]}}]} `)
}

func answered(category, message string) sdk.Sample {
	return sdk.Sample{Trajectory: category + "_0", Outcome: "ok", Phase: "measure", Truth: truthOf(category), Answer: &sdk.Answer{Message: []byte(message)}}
}

func conclude(t *testing.T, config string, batch int, samples ...sdk.Sample) *sdk.ConcludeScoreResponse {
	t.Helper()
	c := sdktest.Open(t, plugin(), "ast", sdktest.Options{Config: config})
	var accounts [][]byte
	for len(samples) > 0 {
		n := min(batch, len(samples))
		r, err := c.Score(samples[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		accounts, samples = append(accounts, r.Account), samples[n:]
	}
	out, err := c.ConcludeScore(sdk.ConcludeRequest{}, accounts...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// some gives right and wrong answers of a category.
func some(category string, right, wrong int) []sdk.Sample {
	good, bad := called, otherwise
	switch {
	case strings.HasSuffix(category, "irrelevance"):
		good, bad = words, called
	case strings.HasSuffix(category, "relevance"):
		bad = words
	}
	var out []sdk.Sample
	for range right {
		out = append(out, answered(category, good))
	}
	for range wrong {
		out = append(out, answered(category, bad))
	}
	return out
}

// TestWeights is worked by hand: simple is the mean of 1 and 1/2, non_live of 3/4, 0, 1 and 1; live 4 of 8; hallucination
// the mean of 1/3 and 1.
func TestWeights(t *testing.T) {
	var all []sdk.Sample
	for _, c := range []struct {
		category     string
		right, wrong int
	}{
		{"simple_python", 4, 0}, {"multiple", 0, 2}, {"parallel", 1, 0}, {"parallel_multiple", 1, 0},
		{"live_simple", 3, 1}, {"live_multiple", 1, 2}, {"live_parallel", 0, 1}, {"irrelevance", 1, 2}, {"live_irrelevance", 2, 0}, {"live_relevance", 1, 1},
	} {
		all = append(all, some(c.category, c.right, c.wrong)...)
	}
	all = append(all, answered("simple_java", `{"tool_calls":[{"function":{"name":"f","arguments":"{\"i\":\"1\"}"}}]}`),
		answered("simple_java", `{"tool_calls":[{"function":{"name":"f","arguments":"{\"i\":1}"}}]}`))
	for _, batch := range []int{1, 7, 1000} {
		out := conclude(t, "", batch, all...)
		got := map[string]int64{}
		for _, p := range out.Parts {
			got[p.Name] = p.Micro
		}
		want := map[string]int64{
			"non_live": 687_500, "live": 500_000, "hallucination": 666_667, "normalized_single_turn": 618_056,
			"simple_python": 1_000_000, "simple_java": 500_000, "multiple": 0, "live_multiple": 333_333, "irrelevance": 333_333, "live_relevance": 500_000,
			"right": 15_000_000, "scored": 25_000_000, "missing": 0, "not_issued": 0, "unjudgeable": 0, "live_multiple_right": 1_000_000,
			"live_multiple_scored": 3_000_000, "unweighted": 583_333,
		}
		for name, micro := range want {
			if v, ok := got[name]; !ok || v != micro {
				t.Errorf("batches of %d: %s is %d (%v), want %d", batch, name, v, ok, micro)
			}
		}
		if _, ok := got["leaderboard"]; ok {
			t.Error("a category was not asked, and there is a score for the leaderboard")
		}
		if out.Score.Micro != 600_000 || !out.Complete || out.Passed || out.Scored != 25 || out.Missing != 0 || out.Excluded != 0 {
			t.Errorf("%+v", out)
		}
	}
	all = append(all, some("simple_javascript", 0, 1)...)
	all = append(all, some("live_parallel_multiple", 1, 0)...)
	for _, p := range conclude(t, "", 9, all...).Parts {
		if want := int64(184_722); p.Name == "leaderboard" && p.Micro != want { // (0.625 + 5/9 + 2/3) / 10
			t.Errorf("leaderboard %d", p.Micro)
		}
	}
}

func TestWhatCounts(t *testing.T) {
	with := func(change func(*sdk.Sample)) sdk.Sample {
		s := answered("simple_python", called)
		change(&s)
		return s
	}
	for _, c := range []struct {
		name   string
		sample sdk.Sample
		scored bool
		micro  int64
		reason string
	}{
		{"right", answered("simple_python", called), true, 1_000_000, ""},
		{"wrong", answered("simple_python", otherwise), true, 0, "value_error:others"},
		{"words", answered("simple_python", words), true, 0, "ast_decoder:decoder_failed"},
		{"no JSON", answered("simple_python", "{"), true, 0, "ast_decoder:decoder_failed"},
		{"failed", with(func(s *sdk.Sample) { s.Outcome = "timeout" }), true, 0, "no answer: timeout"},
		{"failed where none should be called", with(func(s *sdk.Sample) { s.Outcome, s.Truth = "timeout", truthOf("irrelevance") }), true, 0, "no answer: timeout"},
		{"never sent", with(func(s *sdk.Sample) { s.Outcome, s.Cause = "not_sent", "run_ended" }), false, 0, "not issued: run_ended"},
		{"warm-up", with(func(s *sdk.Sample) { s.Phase = "warmup" }), false, 0, "warm-up"},
		{"no truth", with(func(s *sdk.Sample) { s.Truth = nil }), false, 0, "checker:no_truth"},
		{"other truth", with(func(s *sdk.Sample) { s.Truth = []byte(`{"turn":1}`) }), false, 0, "checker:no_truth"},
		{"half a truth", with(func(s *sdk.Sample) { s.Truth = []byte(`{"category":"multiple"}`) }), false, 0, "checker:no_truth"},
		{"unjudgeable", with(func(s *sdk.Sample) {
			s.Truth = []byte(`{"category":"multiple","function":[{"name":"f"}],"ground_truth":[{"f":{"i":[1]}}]}`)
		}), true, 0, "checker:unjudgeable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := sdktest.Open(t, plugin(), "ast", sdktest.Options{}).Score(c.sample)
			if err != nil {
				t.Fatal(err)
			}
			item := r.Items[0]
			if item.Scored != c.scored || item.Micro != c.micro || item.Reason != c.reason {
				t.Errorf("%+v", item)
			}
			out := conclude(t, "", 1, c.sample)
			if (out.Score != nil) != c.scored || out.Complete != c.scored {
				t.Errorf("%+v", out)
			}
		})
	}
}

func TestDetail(t *testing.T) {
	long := `{"tool_calls":[{"function":{"name":"` + strings.Repeat("é", 1000) + `","arguments":"{}"}}]}`
	r, err := sdktest.Open(t, plugin(), "ast", sdktest.Options{}).Score(answered("simple_python", otherwise), answered("simple_python", long))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error_type":"value_error:others","message":"parameter i: none of the 1 stored answers"}`
	if diff := cmp.Diff(want, string(r.Items[0].Detail)); diff != "" || r.Items[0].Group != "simple_python" {
		t.Error(diff)
	}
	if n := len(r.Items[1].Detail); n > 400 {
		t.Errorf("a detail of %d bytes", n)
	}
}

func TestThresholds(t *testing.T) {
	half := append(some("simple_python", 1, 1), some("irrelevance", 1, 0)...) // 2 of 3; normalized 3/4
	for config, passed := range map[string]bool{
		`{}`: false, `{"min_percent":66.6667}`: true, `{"min_percent":66.6668}`: false,
		`{"min_percent":60,"min_normalized_percent":75}`: true, `{"min_percent":60,"min_normalized_percent":75.0001}`: false,
		`{"min_percent":60,"min_samples":3}`: true, `{"min_percent":60,"min_samples":4}`: false, `{"min_normalized_percent":10}`: false,
	} {
		if out := conclude(t, config, 10, half...); out.Passed != passed {
			t.Errorf("%s: %+v", config, out)
		}
	}
	if out := conclude(t, `{"min_percent":0}`, 10, sdk.Sample{Outcome: "not_sent", Cause: "run_ended"}); out.Passed || out.Complete {
		t.Errorf("nothing was sent: %+v", out)
	}
	for config, want := range map[string]string{
		`{"min_percent":101}`: "/min_percent option-range", `{"min_percent":1.00001}`: "/min_percent option-range",
		`{"min_samples":0}`: "/min_samples option-range", `{"min":1}`: "/min unknown-key",
	} {
		_, err := sdktest.TryOpen(t, plugin(), "ast", sdktest.Options{Config: config})
		faults, _ := errors.AsType[sdk.Faults](err)
		if len(faults) != 1 || faults[0].Pointer+" "+faults[0].Code != want {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestDamagedAccounts(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"categories":{"x":[1,1,0]},"excluded":0,"not_issued":0,"unjudgeable":0}`,
		`{"categories":{"multiple":[1,-1,0]},"excluded":0,"not_issued":0,"unjudgeable":0}`} {
		if _, err := decodeAccount([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
