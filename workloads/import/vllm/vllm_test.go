package vllm

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	importtest.Golden(t, Format(), "testdata/generate.json")
	importtest.Golden(t, Format(), "testdata/list.json")
}

func TestUnknownDistribution(t *testing.T) {
	faults := importtest.Faults(t, Format(), []byte(`{"filetype":"generate_conversations","num_conversations":1,"prompt_input":{"num_turns":{"distribution":"zipf"}}}`))
	if len(faults) != 1 || faults[0].Pointer != "/prompt_input/num_turns/distribution" {
		t.Errorf("%+v", faults)
	}
}
