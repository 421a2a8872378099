package mlperfrows

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/import/importtest"
	"paceline/workloads/mlperf/agentic"
)

func TestGolden(t *testing.T) { importtest.Golden(t, Format(), "testdata/interleaved.jsonl") }

// TestStrictReader holds the trajectories against those of std/mlperf/agentic.
func TestStrictReader(t *testing.T) {
	for _, file := range []string{"../../mlperf/agentic/testdata/tiny.jsonl", "../../../../shared/data/mlperf_edge_agentic_coding.jsonl"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Skip("the data set is not beside this checkout: ", err)
		}
		plugin := &sdk.Plugin{Name: "mlperf", Version: "1.0.0", Components: []sdk.Component{agentic.Component()}}
		strict := sdktest.Open(t, plugin, "agentic", sdktest.Options{Inputs: []sdktest.Input{{Name: "dataset", Data: text}}})
		c := importtest.Open(t, Format(), text)
		if got, want := c.Opened.Workload.Trajectories, strict.Opened.Workload.Trajectories; got != want {
			t.Fatalf("%s: %d trajectories, want %d", file, got, want)
		}
		for i := range c.Opened.Workload.Trajectories {
			got, err := c.Plan(i, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := strict.Plan(i, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
				t.Fatalf("%s, trajectory %d (-strict +imported): %s", file, i, diff)
			}
		}
	}
}

// plain gives what is compared: all but labels, with JSON by its meaning.
func plain(t *testing.T, plan *sdk.Trajectory) any {
	t.Helper()
	decoded := func(text []byte) (v any) {
		if len(text) > 0 {
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
		}
		return v
	}
	out := []any{plan.Id, plan.Domain, plan.Defaults != nil}
	for i := range plan.Turns {
		turn := &plan.Turns[i]
		var messages []any
		for k := range turn.Append {
			messages = append(messages, decoded(turn.Append[k].Json))
		}
		if turn.Recorded != nil {
			messages = append(messages, decoded(turn.Recorded.Json), decoded(turn.Truth))
		}
		out = append(out, []any{turn.Index, turn.DelayNs, turn.MaxTokens, turn.Final, decoded(turn.Params), messages})
	}
	return out
}
