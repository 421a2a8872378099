package main

import (
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func TestTable(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	told := sample.Sample{ID: sample.ID{Trajectory: "a"}}
	told.Outcome = sample.OK
	told.Answer = &chat.Answer{FinishReason: "stop", Usage: chat.Usage{Reported: true, PromptTokens: 121, CompletionTokens: 7}}
	missing := sample.Sample{ID: sample.ID{Trajectory: "a", Turn: 1}}
	missing.Outcome = sample.NotSent
	var text strings.Builder
	counts := []verdict.Count{{Input: n(122), Output: n(6), FirstChunk: n(1), AfterFirstChunk: n(5)}, {Reason: "not sent"}}
	if err := table(&text, []sample.Sample{told, missing}, counts); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"| a 0 | ok | 121 | 122 | -1 | 7 | 6 | +1 | 1, 5 | stop |  |\n",
		"| a 1 | not_sent | - | - | - | - | - | - | -, - |  | not sent |\n",
	} {
		if !strings.Contains(text.String(), row) {
			t.Errorf("row %q is missing in\n%s", row, text.String())
		}
	}
}
