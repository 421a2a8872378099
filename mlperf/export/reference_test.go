package export

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/mlperf/rules"
)

// referenceRun is a run of the reference client: each turn, and the summary that it wrote.
type referenceRun struct {
	StartNS int64 `json:"start_ns"`
	Samples []struct {
		Issued   int64  `json:"issued_ns"`
		First    *int64 `json:"recv_first_ns"`
		Complete int64  `json:"complete_ns"`
		Tracked  bool   `json:"tracked"`
		OSL      *int64 `json:"osl"`
		ISL      *int64 `json:"isl"`
		After    *int64 `json:"tokens_after_first_chunk"`
	} `json:"samples"`
	Summary map[string]any `json:"summary"`
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// tracked are the lists that core/metrics finds; its own tests hold those to the same runs.
func (g *referenceRun) tracked() *metrics.Tracked {
	t := &metrics.Tracked{Finish: map[string]int{}, WarmStart: sample.Unset, WarmEnd: sample.Unset}
	for _, s := range g.Samples {
		if !s.Tracked {
			continue
		}
		t.Issued++
		t.OK++
		t.Finish["stop"]++
		t.Last = max(t.Last, sample.Offset(s.Complete-g.StartNS))
		t.Latency = append(t.Latency, s.Complete-s.Issued)
		t.OutputTime += s.Complete - s.Issued
		t.TTFT = append(t.TTFT, *s.First-s.Issued)
		t.TPOT = append(t.TPOT, int64(math.Round(float64((s.Complete-*s.First)*1000)/float64(*s.After))))
		t.Output, t.Input = append(t.Output, *s.OSL), append(t.Input, *s.ISL)
		t.FullRun = append(t.FullRun, *s.OSL)
	}
	return t
}

// bare is a run with nothing but what a summary is made of.
func bare(t *metrics.Tracked) *Run {
	r := &Run{Tracked: t, Config: &journal.RunConfig{Build: journal.Build{Version: "0.1.0", Commit: "abc", Go: "go1.26.8", OS: "linux", Arch: "amd64"}},
		Journal: &journal.Run{}, Report: &report.Result{Status: report.Complete}}
	r.Settings.Load.Users = 2
	return r
}

func asMap(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := JSON(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// ours says under which paths the files must not equal the reference's: what names the client, and the seeds that the
// recorded runs had.
var ours = map[string]bool{".version": true, ".git_sha": true, ".run_config.warmup.warmup_random_seed": true,
	".run_config.scheduler_random_seed": true, ".run_config.dataloader_random_seed": true, ".test_started_at": true}

// TestReferenceSummaries makes the summaries of two recorded runs of the reference client again, every field of them.
func TestReferenceSummaries(t *testing.T) {
	for _, name := range []string{"tool_call_only", "reasoning_then_content"} {
		t.Run(name, func(t *testing.T) {
			var g referenceRun
			readJSON(t, "reference_"+name+".json", &g)
			s := bare(g.tracked()).Summary(&Options{Seeds: rules.SeedSet{Scheduler: 1 << 63, SampleIndex: 2, Model: 3}})
			same(t, "", g.Summary, asMap(t, s))
		})
	}
}

// same holds what we wrote to what the reference wrote: numbers to a millionth of a thousandth, or to a thousandth of a
// nanosecond, in which we keep times per token.
func same(t *testing.T, at string, want, got any) {
	t.Helper()
	if ours[at] {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want an object", at, got)
			return
		}
		for key, v := range want {
			w, ok := have[key]
			if !ok {
				t.Errorf("%s.%s is missing", at, key)
				continue
			}
			same(t, at+"."+key, v, w)
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			t.Errorf("%s: %d values, want %d", at, len(have), len(want))
			return
		}
		for i := range want {
			same(t, at+"[]", want[i], have[i])
		}
	case float64:
		have, ok := got.(float64)
		if far := math.Abs(have - want); !ok || far > 1e-9*math.Abs(want) && far > 1e-3 {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}

// TestSeedsKeepAllBits holds seeds above int64 and float64 to their digits.
func TestSeedsKeepAllBits(t *testing.T) {
	sets, err := rules.KnownSeedSets(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := sets.Find("A")
	if err != nil {
		t.Fatal(err)
	}
	text, err := JSON(bare(&metrics.Tracked{}).Summary(&Options{Seeds: set}))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Config struct {
			Seed  json.Number `json:"scheduler_rng_seed"`
			Model json.Number `json:"model_seed"`
		} `json:"run_config"`
	}
	if err := json.Unmarshal(text, &doc); err != nil || doc.Config.Seed != "10487924139932647040" || doc.Config.Model != "9315206023656308754" {
		t.Errorf("%v, %v", doc, err)
	}
}
