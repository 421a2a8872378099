package langfuse

import (
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	for _, file := range []string{"traces.jsonl", "observations.jsonl", "real.jsonl"} { // the last by testdata/write.py
		importtest.Golden(t, Format(), "testdata/"+file)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","traceId":"t","type":"GENERATION","input":"x"}`:                                                                            "/startTime",
		`{"id":"a","traceId":"t","type":"GENERATION","startTime":"late","input":"x"}`:                                                         "/startTime",
		`{"id":"a","traceId":"t","type":"GENERATION","startTime":"2026-05-02T12:00:11Z","endTime":"2026-05-02T12:00:10Z"}`:                    "/endTime",
		`{"id":"t","observations":[{"id":"s","type":"SPAN"},{"id":"a","type":"GENERATION","startTime":"2026-05-02T12:00:11Z","endTime":[]}]}`: "/observations/1/endTime",
		`{"observations":[{"type":"GENERATION","startTime":"2026-05-02T12:00:11Z","input":"x"}]}`:                                             "/id",
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
