package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"paceline/core/journal"
)

// cmdSameSteps compares two runs of a live workload: their plans, the digest of every step and how each conversation ended,
// and their scores. The order of steps may differ, since conversations go on side by side.
func cmdSameSteps(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2, "samesteps DIR DIR")
	var views [2][]any
	for i, dir := range args {
		report, err := decode([]byte(ts.ReadFile(dir + "/report.json")))
		ts.Check(err)
		scores, _ := lookUp(report, "scores")
		views[i] = []any{plans(ts, dir), liveSteps(ts, dir), scores}
	}
	diff := cmp.Diff(views[0], views[1])
	if (diff == "") == neg {
		ts.Fatalf("equal: %v\n%s", diff == "", diff)
	}
}

// liveSteps lists the live records of a journal without order and instants, sorted.
func liveSteps(ts *testscript.TestScript, dir string) []string {
	var lines bytes.Buffer
	ts.Check(journal.Cat(&lines, ts.MkAbs(dir)))
	var list []string
	for line := range strings.Lines(lines.String()) {
		if !strings.HasPrefix(line, `{"rec":"live"`) {
			continue
		}
		v, err := decode([]byte(line))
		ts.Check(err)
		text := ""
		for _, key := range []string{"trajectory", "repeat", "turn", "step", "turns", "end"} {
			value, _ := lookUp(v, key)
			text += fmt.Sprintf(" %s=%v", key, value)
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		ts.Fatalf("%s holds no live steps", dir)
	}
	slices.Sort(list)
	return list
}
