package mooncake

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T)  { importtest.Golden(t, Format(), "testdata/small.jsonl") }
func TestAgentic(t *testing.T) { importtest.Golden(t, Format(), "testdata/agentic.jsonl") }

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"input_length":-1,"output_length":1}`:                                 "/input_length",
		`{"input_length":1,"output_length":1.5}`:                                "/output_length",
		`{"input_length":5000,"output_length":1,"hash_ids":[1]}`:                "/hash_ids",
		`{"input_length":1,"output_length":1,"hash_ids":[1,2,3,4]}`:             "/hash_ids",
		`{"input_length":1,"output_length":1,"tool_wait_ms":-3,"hash_ids":[1]}`: "/tool_wait_ms",
		`{"input_length":1,"output_length":1,"delay":"soon"}`:                   "/delay",
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want || faults[0].Line != 1 {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
