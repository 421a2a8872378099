package outputlength

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
)

// usage is an answered turn whose usage says so many tokens.
func usage(tokens uint64) sdk.Sample {
	return sdk.Sample{Outcome: "ok", Phase: "measure", InWindow: true,
		Answer: &sdk.Answer{Usage: &sdk.Usage{Reported: true, CompletionTokens: tokens}}}
}

func counted(s sdk.Sample, tokens uint64) sdk.Sample {
	s.Counted = &sdk.TokenCount{Output: &tokens}
	return s
}

func outside(s sdk.Sample) sdk.Sample {
	s.InWindow = false
	return s
}

func TestVerdict(t *testing.T) {
	silent := sdk.Sample{Outcome: "ok", Phase: "measure", InWindow: true, Answer: &sdk.Answer{}}
	failed := usage(9000)
	failed.Outcome = "truncated"
	warm := usage(9000)
	warm.Phase = "warmup"
	for _, tc := range []struct {
		name    string
		config  string
		samples []sdk.Sample
		passed  bool
		reason  string
		mean    int64 // -1: none
	}{
		{"inside", `{"min":344,"max":422}`, []sdk.Sample{usage(344), usage(422)}, true, "", 383_000_000},
		{"on the bound", `{"min":344,"max":344}`, []sdk.Sample{usage(344)}, true, "", 344_000_000},
		{"below by a third of a token", `{"min":344}`, []sdk.Sample{usage(344), usage(344), usage(343)}, false,
			"mean 343.666667 is below min 344", 343_666_667},
		{"above", `{"max":0.5}`, []sdk.Sample{usage(1)}, false, "mean 1 is above max 0.5", 1_000_000},
		{"no bounds", `{}`, []sdk.Sample{usage(10), usage(11)}, false, "no bounds", 10_500_000},
		{"no bounds and no usage", `{}`, []sdk.Sample{silent, silent}, false, "no bounds; no usage", -1},
		{"no usage", `{"min":1}`, []sdk.Sample{silent, silent}, false, "no usage", -1},
		{"some without usage", `{"min":1}`, []sdk.Sample{silent, usage(3), usage(3)}, false, "no usage for 1 of 3 turns", -1},
		{"nothing answered", `{"min":1}`, []sdk.Sample{failed}, false, "no answers", -1},
		{"failed, warm-up and empty turns", `{"min":1}`, []sdk.Sample{failed, warm, usage(0), usage(4)}, true, "", 4_000_000},
		{"tail counts", `{"max":5}`, []sdk.Sample{usage(4), outside(usage(8))}, false, "mean 6 is above max 5", 6_000_000},
		{"window only", `{"max":5,"turns":"window"}`, []sdk.Sample{usage(4), outside(usage(8))}, true, "", 4_000_000},
		{"counter first", `{"min":7,"max":7}`, []sdk.Sample{counted(usage(4), 7)}, true, "", 7_000_000},
		{"usage asked for", `{"min":4,"max":4,"source":"usage"}`, []sdk.Sample{counted(usage(4), 7)}, true, "", 4_000_000},
		{"counter asked for", `{"min":4,"source":"counter"}`, []sdk.Sample{usage(4)}, false, "no usage", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := open(&sdk.Opening{Config: []byte(tc.config)})
			if err != nil {
				t.Fatal(err)
			}
			var running []byte
			for i := range tc.samples {
				_, part, err := v.Check(tc.samples[i : i+1])
				if err != nil {
					t.Fatal(err)
				}
				if running, err = v.Fold(running, part); err != nil {
					t.Fatal(err)
				}
			}
			out, err := v.Conclude(&sdk.ConcludeRequest{Account: running})
			if err != nil {
				t.Fatal(err)
			}
			if out.Passed != tc.passed || out.Reason != tc.reason {
				t.Errorf("passed %v, reason %q", out.Passed, out.Reason)
			}
			mean := int64(-1)
			if out.Values[0].Name == "mean_output_tokens" {
				mean = out.Values[0].Micro
			}
			if mean != tc.mean {
				t.Errorf("mean %d, want %d", mean, tc.mean)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	for config, want := range map[string][]string{
		`{"min":10,"max":5}`:      {"/min bounds-contradict"},
		`{"min":-1,"max":"5"}`:    {"/min option-range", "/max option-type"},
		`{"turns":"some"}`:        {"/turns option-choice"},
		`{"source":1,"a/b~c":{}}`: {"/a~1b~0c unknown-key", "/source option-choice"},
		`7`:                       {" config-object"},
	} {
		_, err := open(&sdk.Opening{Config: []byte(config)})
		var got []string
		faults, _ := err.(sdk.Faults)
		for _, f := range faults {
			got = append(got, f.Pointer+" "+f.Code)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", config, diff)
		}
	}
}

func TestLargeSums(t *testing.T) {
	a := account{turns: 3, tokens: 1 << 62}
	if got := a.mean(); got != 1<<63-1 {
		t.Errorf("mean %d", got)
	}
	if a.compare(1<<62) != 1 {
		t.Error("a large sum is below a bound")
	}
	if _, err := decodeAccount([]byte(`{"turns":-1}`)); err == nil {
		t.Error("a broken account is accepted")
	}
}
