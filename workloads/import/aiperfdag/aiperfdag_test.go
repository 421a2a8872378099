package aiperfdag

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"paceline/workloads/import/importtest"
	"paceline/workloads/import/normal"
)

func TestGolden(t *testing.T) {
	for _, file := range []string{"sessions.jsonl", "real.jsonl"} { // the second by aiperfdag/testdata/write.py
		importtest.Golden(t, Format(), "testdata/"+file)
	}
}

// TestOrder has the lines of the file in another order: each trajectory is the same.
func TestOrder(t *testing.T) {
	text, err := os.ReadFile("testdata/sessions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	list := bytes.SplitAfter(text, []byte("\n"))
	want := plans(t, text)
	slices.Reverse(list)
	got := plans(t, bytes.Join(list, nil))
	for id, plan := range want {
		if got[id] != plan {
			t.Errorf("%s\n got %s\nwant %s", id, got[id], plan)
		}
	}
	if len(got) != len(want) || len(want) != 3 {
		t.Errorf("%d and %d trajectories", len(got), len(want))
	}
}

func plans(t *testing.T, text []byte) map[string]string {
	t.Helper()
	c := importtest.Open(t, Format(), text)
	out := map[string]string{}
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		line, err := normal.Append(nil, plan)
		if err != nil {
			t.Fatal(err)
		}
		out[plan.Id] = string(line)
	}
	return out
}

// say is a turn with further fields.
func say(more string) string { return `{"messages":[{"role":"user","content":"x"}]` + more + `}` }

func row(id string, turns ...string) string {
	return `{"session_id":"` + id + `","turns":[` + strings.Join(turns, ",") + "]}"
}

func TestFaults(t *testing.T) {
	b := row("b", say(""))
	for _, c := range []struct{ text, code, pointer string }{
		{`{"session_id":"","turns":[` + say("") + `]}`, "session", "/session_id"},
		{row("a"), "turns", "/turns"},
		{row("a", `{"messages":[]}`), "messages", "/turns/0/messages"},
		{row("a", `{"messages":[{"content":"x"}]}`), "role", "/turns/0/messages/0/role"},
		{row("a", say(`,"delay":"1"`)), "wait", "/turns/0/delay"},
		{row("a", say(`,"max_tokens":true`)), "token-count", "/turns/0/max_tokens"},
		{row("a", say(`,"tools":{}`)), "tools", "/turns/0/tools"},
		{row("a", say(`,"extra":[]`)), "extra", "/turns/0/extra"},
		{row("a", say(`,"forks":["b"]`), say("")) + "\n" + b, "fork", "/turns/0/forks/0"},
		{row("a", say(`,"forks":["b",{"child":"b"}]`)) + "\n" + b, "session-twice", "/turns/0/forks/1"},
		{row("a", say(`,"spawns":[{"children":["b"],"join_at":0}]`), say("")) + "\n" + b, "join", "/turns/0/spawns"},
		{row("a", say(`,"spawns":[{"children":["b"],"join_at":9}]`), say("")) + "\n" + b, "join", "/turns/0/spawns"},
		{row("a", say(`,"spawns":[3]`)), "session", "/turns/0/spawns/0"},
		{row("a", say(`,"spawns":"b"`)), "spawns", "/turns/0/spawns"},
		{row("a", say(`,"spawns":["b"]`)), "part-missing", ""},
		{row("a", say(`,"spawns":["a"]`)), "part-circle", ""},
		{b + "\n" + b, "session-twice", "/session_id"},
		{row("a", say(`,"spawns":["b"]`)) + "\n" + row("b", say(`,"spawns":["c"]`)) + "\n" + row("c", say(`,"spawns":["b"]`)), "part-circle", ""},
		{`{"session_id":"o","orchestrator":true}`, "orchestrator", "/spawns"},
		{`{"session_id":"o","orchestrator":true,"spawns":["b"],"rounds":0}` + "\n" + b, "rounds", "/rounds"},
		{`{"session_id":"o","orchestrator":true,"rounds":[{"spawns":[]}]}`, "orchestrator", "/rounds/0/spawns"},
		{`{"session_id":"o","orchestrator":true,"turns":[` + say("") + `],"spawns":["b"]}` + "\n" + b, "orchestrator", "/turns"},
	} {
		faults := importtest.Faults(t, Format(), []byte(c.text+"\n"))
		if len(faults) != 1 || faults[0].Pointer != c.pointer || faults[0].Code != c.code || faults[0].Line == 0 {
			t.Errorf("%s: %+v", c.text, faults)
		}
	}
}

// TestBlowUp has sessions that start each other so often that the trajectory would not end.
func TestBlowUp(t *testing.T) {
	chain := func(line func(i int) string) string {
		var out []string
		for i := range 40 {
			out = append(out, line(i))
		}
		return strings.Join(append(out, row("s40", say(""))), "\n")
	}
	for name, text := range map[string]string{
		"spawns": chain(func(i int) string {
			spawn := say(fmt.Sprintf(`,"spawns":["s%d"]`, i+1))
			return row(fmt.Sprint("s", i), spawn, spawn)
		}),
		"rounds": chain(func(i int) string {
			return fmt.Sprintf(`{"session_id":"s%d","orchestrator":true,"spawns":["s%d"],"rounds":3}`, i, i+1)
		}),
	} {
		faults := importtest.Faults(t, Format(), []byte(text+"\n"))
		if len(faults) != 1 || faults[0].Code != "too-many-branches" {
			t.Errorf("%s: %+v", name, faults)
		}
	}
	deep := ""
	for i := range 300 {
		deep += row(fmt.Sprint("d", i), say(fmt.Sprintf(`,"spawns":["d%d"]`, i+1))) + "\n"
	}
	if faults := importtest.Faults(t, Format(), []byte(deep+row("d300", say(""))+"\n")); len(faults) != 1 || faults[0].Code != "too-deep" {
		t.Errorf("%+v", faults)
	}
}
