package tracelab

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) { importtest.Golden(t, Format(), "testdata/rounds.jsonl") }

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"session_id":"s","round_index":0,"prefix_tokens":1,"newly_append_tokens":1}`:                                          "/output_tokens",
		`{"session_id":"s","round_index":0,"prefix_tokens":1,"newly_append_tokens":1,"output_tokens":1,"input_tokens_total":3}`: "/input_tokens_total",
		`{"session_id":"s","round_index":-1,"prefix_tokens":1,"newly_append_tokens":1,"output_tokens":1}`:                       "/round_index",
		`{"round_index":0,"prefix_tokens":1,"newly_append_tokens":1,"output_tokens":1}`:                                         "/session_id",
		`{"session_id":"s","round_index":0,"prefix_tokens":4294967295,"newly_append_tokens":1,"output_tokens":1}`:               "/prefix_tokens",
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
