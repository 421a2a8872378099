package langsmith

import (
	"strings"
	"testing"

	"paceline/workloads/import/importtest"
)

func TestGolden(t *testing.T) {
	for _, file := range []string{"runs.jsonl", "real.jsonl"} { // the second by langsmith/testdata/write.py
		importtest.Golden(t, Format(), "testdata/"+file)
	}
}

func TestFaults(t *testing.T) {
	deep := strings.Repeat(`{"id":"x","run_type":"chain","child_runs":[`, 66) + strings.Repeat("]}", 66)
	for text, want := range map[string]string{
		`{"id":"x","trace_id":"t","run_type":7}`: "/run_type",
		`{"id":"x","trace_id":"t","run_type":"llm","start_time":"soon","inputs":{"messages":[{"role":"user","content":"a"}]}}`: "/start_time",
		`{"id":"x","trace_id":"t","run_type":"llm","start_time":"2026-05-01T10:00:05Z","end_time":"2026-05-01T10:00:04Z"}`:     "/end_time",
		`{"id":"x","run_type":"chain","child_runs":[{"id":"y","run_type":"llm","end_time":true}]}`:                             "/child_runs/0/end_time",
		`{"id":"x","parent_run_id":"y","run_type":"llm","inputs":{"prompt":"a"}}`:                                              "/trace_id",
		deep: strings.Repeat("/child_runs/0", 65),
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != want {
			t.Errorf("%s: %+v", text, faults)
		}
	}
}
