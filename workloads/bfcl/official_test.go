package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

// TestOfficialCases judges the cases that official/official.py wrote into the folder BFCL_OFFICIAL, through the bytes that a
// host would send, and writes ours.jsonl and tools.jsonl there for it to compare. The script .ci/bfcl does all three.
func TestOfficialCases(t *testing.T) {
	folder := os.Getenv("BFCL_OFFICIAL")
	if folder == "" {
		t.Skip("BFCL_OFFICIAL names no folder of cases; .ci/bfcl makes one from an installed bfcl-eval")
	}
	inputs := []sdktest.Input{
		{Name: "questions", Data: file(t, folder, "questions.jsonl")}, {Name: "answers", Data: file(t, folder, "answers.jsonl")}}
	var tools bytes.Buffer
	truth := map[string][]byte{}
	for _, descriptions := range []string{"hinted", "plain"} {
		w := sdktest.Open(t, &plugin, "single-turn", sdktest.Options{Config: `{"descriptions":"` + descriptions + `"}`, Inputs: inputs})
		if faults, items, err := w.CheckInputs(); err != nil || len(faults) > 0 || items != w.Opened.Workload.Trajectories {
			t.Fatalf("the published files: %+v, %d of %d questions, %v", faults, items, w.Opened.Workload.Trajectories, err)
		}
		for i := range w.Opened.Workload.Trajectories {
			plan, err := w.Plan(i, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			truth[plan.Id] = plan.Turns[0].Truth
			writeTools(t, &tools, plan, descriptions == "hinted")
		}
	}
	write(t, folder, "tools.jsonl", tools.Bytes())
	write(t, folder, "ours.jsonl", judge(t, file(t, folder, "cases.jsonl"), truth))
}

func writeTools(t *testing.T, out *bytes.Buffer, plan *sdk.Trajectory, hinted bool) {
	t.Helper()
	row := map[string]any{"id": plan.Id, "hinted": hinted, "tools": json.RawMessage("[]")}
	if plan.Defaults != nil {
		row["tools"] = json.RawMessage(plan.Defaults.Tools)
	}
	var messages []json.RawMessage
	for _, m := range plan.Turns[0].Append {
		messages = append(messages, m.Json)
	}
	row["messages"] = messages
	line(t, out, row)
}

func judge(t *testing.T, cases []byte, truth map[string][]byte) []byte {
	t.Helper()
	scorer := sdktest.Open(t, &plugin, "ast", sdktest.Options{})
	var out bytes.Buffer
	for text := range bytes.Lines(cases) {
		var one struct {
			Case    int
			ID      string
			Message json.RawMessage
		}
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		got, err := scorer.Score(sdk.Sample{
			Trajectory: one.ID, Outcome: "ok", Phase: "measure", Truth: truth[one.ID], Answer: &sdk.Answer{Message: one.Message}})
		if err != nil {
			t.Fatalf("case %d: %v", one.Case, err)
		}
		item := got.Items[0]
		if !item.Scored || (item.Reason == "") != (item.Micro == 1_000_000) {
			t.Fatalf("case %d: %+v", one.Case, item)
		}
		line(t, &out, map[string]any{"case": one.Case, "code": item.Reason, "detail": json.RawMessage(or(item.Detail, "null"))})
	}
	return out.Bytes()
}

func or(text []byte, other string) []byte {
	if len(text) == 0 {
		return []byte(other)
	}
	return text
}

func line(t *testing.T, out *bytes.Buffer, row any) {
	t.Helper()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(append(text, '\n'))
}

func file(t *testing.T, folder, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, folder, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
