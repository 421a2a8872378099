package trie

import (
	"os"
	"slices"
	"strings"
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) { importtest.Golden(t, Format(), "testdata/small.jsonl") }

func TestFaults(t *testing.T) {
	const row = `{"num_turns":1,"input_prompt_length":5,"assistant_response_length":[1],"tool_call_output_length":[2],"tool_call_latency":[0.1],"final_assistant_response_length":2}`
	for _, tc := range []struct{ old, with, pointer string }{
		{`"num_turns":1`, `"num_turns":2`, "/assistant_response_length"},
		{`[0.1]`, `[0.1,0.2]`, "/tool_call_latency"},
		{`[0.1]`, `[-1]`, "/tool_call_latency/0"},
		{`[2]`, `[2.5]`, "/tool_call_output_length/0"},
		{`[1]`, `["1"]`, "/assistant_response_length/0"},
		{`_response_length":2}`, `_response_length":null}`, "/final_assistant_response_length"},
		{`"input_prompt_length":5,`, ``, ""},
	} {
		faults := importtest.Faults(t, Format(), []byte(strings.Replace(row, tc.old, tc.with, 1)))
		if len(faults) != 1 || faults[0].Pointer != tc.pointer || faults[0].Line != 1 {
			t.Errorf("%s: %+v, want one at %q", tc.with, faults, tc.pointer)
		}
	}
}

// TestRealFile plans the published traces: their golden row has these contexts and sums.
func TestRealFile(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/data/applied_compute_agentic_coding_8k.jsonl")
	if err != nil {
		t.Skip("the published traces are not beside this checkout: ", err)
	}
	c := importtest.Open(t, Format(), text)
	if n := c.Opened.Workload.Trajectories; n != 8192 || len(c.Opened.Losses) > 0 {
		t.Errorf("%d trajectories, losses %q", n, c.Opened.Losses)
	}
	plan, err := c.Plan(1728, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var contexts []uint32
	context, output, wait := uint32(0), uint32(0), uint64(0)
	for i := range plan.Turns {
		turn := &plan.Turns[i]
		context += turn.Append[0].Composed.Pieces[0].Filler.Tokens
		contexts = append(contexts, context)
		context += turn.ExactTokens
		output += turn.ExactTokens
		wait += turn.DelayNs
	}
	if !slices.Equal(contexts, []uint32{6318, 12537, 13644}) || output != 1986 || wait != 2_770_000_000 {
		t.Errorf("contexts %v, output %d, wait %d", contexts, output, wait)
	}
}
