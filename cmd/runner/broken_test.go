package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/coretest"
	"paceline/core/journal"
)

// tools are what every broken call is held against.
const tools = `[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{
	"command":{"type":"string","minLength":1,"maxLength":20,"pattern":"^[a-z]"},"timeout":{"type":"integer","minimum":1,"maximum":60,"multipleOf":5},
	"shell":{"enum":["sh","bash"]},"env":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2,"uniqueItems":true},
	"mode":{"const":"safe"},"as":{"oneOf":[{"type":"string"},{"type":"integer"}]}},"required":["command"],"additionalProperties":false}}}]`

// brokenCalls are answers of an engine and the class of what is wrong with each: the calls, what else the message holds, and
// why the answer ended.
var brokenCalls = []struct{ class, calls, content, finish string }{
	{"call-type", `{"id":"1","type":"custom","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`, "", "tool_calls"},
	{"id-missing", `{"type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`, "", "tool_calls"},
	{"id-repeated", called(`{"command":"ls"}`) + "," + called(`{"command":"pwd"}`), "", "tool_calls"},
	{"name-missing", `{"id":"1","type":"function","function":{"arguments":"{\"command\":\"ls\"}"}}`, "", "tool_calls"},
	{"name-unknown", `{"id":"1","type":"function","function":{"name":"shell","arguments":"{\"command\":\"ls\"}"}}`, "", "tool_calls"},
	{"arguments-not-json", `{"id":"1","type":"function","function":{"name":"bash"}}`, "", "tool_calls"}, // the client joins nothing to ""
	{"arguments-not-json", called(`{"command":"ls"`), "", "tool_calls"},
	{"arguments-not-json", called(`{'command':'ls'}`), "", "tool_calls"},
	{"arguments-not-json", called(`{"command":"ls"}{"command":"ls"}`), "", "tool_calls"},
	{"arguments-not-object", called(`"ls"`), "", "tool_calls"},
	{"arguments-not-object", called(`[]`), "", "tool_calls"},
	{"arguments-repeated-key", called(`{"command":"ls","command":"rm"}`), "", "tool_calls"},
	{"call-cut-off", called(`{"command":"l`), "", "length"},
	{"schema-type", called(`{"command":7}`), "", "tool_calls"},
	{"schema-type", called(`{"command":"ls","timeout":"10"}`), "", "tool_calls"},
	{"schema-choice", called(`{"command":"ls","shell":"zsh"}`), "", "tool_calls"},
	{"schema-choice", called(`{"command":"ls","mode":"fast"}`), "", "tool_calls"},
	{"schema-required", called(`{"timeout":5}`), "", "tool_calls"},
	{"schema-unexpected", called(`{"command":"ls","cwd":"/"}`), "", "tool_calls"},
	{"schema-size", called(`{"command":"ls -la aaaaaaaaaaaaaaaaaaaaa"}`), "", "tool_calls"},
	{"schema-size", called(`{"command":"ls","env":[]}`), "", "tool_calls"},
	{"schema-range", called(`{"command":"ls","timeout":65}`), "", "tool_calls"},
	{"schema-range", called(`{"command":"ls","timeout":7}`), "", "tool_calls"},
	{"schema-pattern", called(`{"command":"LS"}`), "", "tool_calls"},
	{"schema-unique", called(`{"command":"ls","env":["a","a"]}`), "", "tool_calls"},
	{"schema-combination", called(`{"command":"ls","as":true}`), "", "tool_calls"},
	{"markup-in-content", "", `<tool_call>{\"name\":\"bash\"}</tool_call>`, "stop"},
	{"markup-in-content", "", `[TOOL_CALLS][{\"name\":\"bash\",\"arguments\":{}}]`, "stop"},
	{"finish-not-tool-calls", called(`{"command":"ls"}`), "", "stop"},
	{"finish-without-calls", "", "done", "tool_calls"},
}

func called(arguments string) string {
	return `{"id":"1","type":"function","function":{"name":"bash","arguments":` + strconv.Quote(arguments) + `}}`
}

func brokenID(i int) string { return fmt.Sprintf("broken-%02d", i) }

// brokenEngine answers each conversation with its own broken call after a while, so that many are open at once.
func brokenEngine() *coretest.Script {
	s := &coretest.Script{Models: []string{"sim"}}
	for i, b := range brokenCalls {
		body := fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":"%s","tool_calls":[%s]},"finish_reason":%q}]}`, b.content, b.calls, b.finish)
		s.Replies = append(s.Replies, coretest.Reply{
			When:    func(r *coretest.Request) bool { return bytes.Contains(r.Body, []byte(brokenID(i))) },
			Headers: []coretest.Header{{Name: "Content-Type", Value: "application/json"}},
			Body:    []coretest.Step{{At: 20 * time.Millisecond, Data: []byte(body)}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
		})
	}
	return s
}

// TestBrokenToolCalls plays 30 broken calls at three concurrencies: each gets its class, the same under any load.
func TestBrokenToolCalls(t *testing.T) {
	var flat bytes.Buffer
	if err := json.Compact(&flat, []byte(tools)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var rows strings.Builder
	want := map[string]string{}
	for i, b := range brokenCalls {
		want[brokenID(i)] = b.class
		fmt.Fprintf(&rows, `{"conversation_id":"%[1]s","turn":1,"role":"user","content":"%[1]s","tools":%s}`+"\n", brokenID(i), flat.String())
	}
	data := filepath.Join(dir, "data.jsonl")
	if err := os.WriteFile(data, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, users := range []string{"1", "4", "16"} {
		target := coretest.Start(t, coretest.Loopback(t), brokenEngine())
		out := filepath.Join(dir, "users-"+users)
		cmd := exec.Command("runner", "run", "--target", target.URL()+"/v1", "--workload", "std/mlperf/agentic", "--input", "dataset="+data,
			"--users", users, "--no-stream", "--validate", "std/checks/tool-calls", "--out", out, "--quiet")
		cmd.Env = []string{"PACELINE_CACHE_DIR=" + filepath.Join(dir, "cache")}
		said, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 7 {
			t.Fatalf("%s users: exit code %d: %s", users, cmd.ProcessState.ExitCode(), said)
		}
		if d := cmp.Diff(want, classesOf(t, out)); d != "" {
			t.Errorf("%s users (-want +got):\n%s", users, d)
		}
	}
}

// classesOf returns the classes of the findings about each trajectory of a run, joined.
func classesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	judgements, err := journal.ReadJudgements(dir)
	if err != nil || len(judgements) == 0 {
		t.Fatalf("%d judgements, %v", len(judgements), err)
	}
	found := map[string]map[string]bool{}
	for _, j := range judgements {
		for _, f := range j.Findings {
			if f.Trajectory == "" {
				continue
			}
			if found[f.Trajectory] == nil {
				found[f.Trajectory] = map[string]bool{}
			}
			found[f.Trajectory][f.Code] = true
		}
	}
	got := map[string]string{}
	for id, codes := range found {
		got[id] = strings.Join(slices.Sorted(maps.Keys(codes)), " ")
	}
	return got
}
