package aiperfturns

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	for _, file := range []string{"sessions.jsonl", "real.jsonl"} { // the second by aiperfdag/testdata/write.py
		importtest.Golden(t, Format(), "testdata/"+file)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"multi_turn","turns":[]}`:                         "/turns",
		`{"type":"multi_turn","turns":7}`:                          "/turns",
		`{"turns":[{"text":"a"},{"role":"user"}]}`:                 "/turns/1",
		`{"turns":[{"texts":["a",1]}]}`:                            "/turns/0/texts/1",
		`{"turns":[{"texts":[{"contents":["a",{}]}]}]}`:            "/turns/0/texts/0/contents/1",
		`{"turns":[{"text":"a","delay":-1}]}`:                      "/turns/0/delay",
		`{"turns":[{"text":"a","timestamp":"soon"}]}`:              "/turns/0/timestamp",
		`{"turns":[{"text":"a","output_length":1.5}]}`:             "/turns/0/output_length",
		`{"turns":[{"text":"a","extra":[]}]}`:                      "/turns/0/extra",
		`{"turns":[{"role":"system","text":"only instructions"}]}`: "",
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
