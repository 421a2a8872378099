package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"paceline/core/journal"
)

// cmdSameTurns compares what two runs measured of each turn but its times: outcome, finish reason, answer and usage.
func cmdSameTurns(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 3, "sameturns N DIR DIR")
	first, second := turnsOf(ts, args[1]), turnsOf(ts, args[2])
	if len(first) != number(ts, args[0]) {
		ts.Fatalf("%s has %d turns, want %s:\n%s", args[1], len(first), args[0], strings.Join(first, "\n"))
	}
	if !slices.Equal(first, second) {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[1], strings.Join(first, "\n"), args[2], strings.Join(second, "\n"))
	}
}

func turnsOf(ts *testscript.TestScript, dir string) []string {
	run, err := journal.Read(ts.MkAbs(dir))
	ts.Check(err)
	var list []string
	for i := range run.Samples {
		s := &run.Samples[i]
		line := fmt.Sprintf("%s/%d %s", s.Trajectory, s.Turn, s.Outcome)
		if a := s.Answer; a != nil {
			// Streams of chat completions begin with an empty content, also where a call follows alone.
			message := strings.Replace(string(a.Message), `"content":"",`, "", 1)
			line += fmt.Sprintf(" %s %d+%d %s", a.FinishReason, a.Usage.PromptTokens, a.Usage.CompletionTokens, message)
			if a.Usage.CachedTokens != nil {
				line += fmt.Sprintf(" cached %d", *a.Usage.CachedTokens)
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}
