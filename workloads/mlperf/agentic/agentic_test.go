package agentic

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/sdk"
	"paceline/workloads/mlperf/dataset"
)

// planAll plans every conversation of a text.
func planAll(t *testing.T, text []byte) []*sdk.Trajectory {
	t.Helper()
	src := bytes.NewReader(text)
	index, err := dataset.Scan(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	var all []*sdk.Trajectory
	for _, e := range index.Entries {
		rows, err := dataset.Rows(src, e)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := trajectory(e.ID, rows, calls{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, plan)
	}
	return all
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func caseFile(t *testing.T, name string) []byte { return read(t, "../dataset/testdata/cases", name) }

// history gives the messages of one request as the host puts them together with recorded answers.
func history(plan *sdk.Trajectory, turn int) []string {
	var messages []string
	for i := 0; i <= turn; i++ {
		for _, m := range plan.Turns[i].Append {
			messages = append(messages, string(m.Json))
		}
		if r := plan.Turns[i].Recorded; r != nil && i < turn {
			messages = append(messages, string(r.Json))
		}
	}
	return messages
}

// decoded parses messages into plain values, so that only meaning is compared.
func decoded(t *testing.T, messages []string) []any {
	t.Helper()
	out := make([]any, len(messages))
	for i, m := range messages {
		if err := json.Unmarshal([]byte(m), &out[i]); err != nil {
			t.Fatalf("%v in %s", err, m)
		}
	}
	return out
}

// asText turns arguments that are objects into their text, the one difference to the reference's wire.
func asText(messages []any) {
	for _, m := range messages {
		message := m.(map[string]any)
		if message["content"] == nil {
			delete(message, "content") // the reference drops nulls as it writes the wire
		}
		calls, _ := message["tool_calls"].([]any)
		for _, c := range calls {
			f := c.(map[string]any)["function"].(map[string]any)
			if object, ok := f["arguments"].(map[string]any); ok {
				text, _ := json.Marshal(object)
				f["arguments"] = string(text)
			}
		}
	}
}

func TestWire(t *testing.T) {
	var wire []struct {
		Body struct {
			Messages            []any   `json:"messages"`
			MaxCompletionTokens float64 `json:"max_completion_tokens"`
			Temperature         float64 `json:"temperature"`
			Stop                []any   `json:"stop"`
			Tools               any     `json:"tools"`
		} `json:"body"`
		Header map[string][]string `json:"header"`
	}
	if err := json.Unmarshal(read(t, "testdata/nostream_tools.wire.json"), &wire); err != nil {
		t.Fatal(err)
	}
	plans := map[string]*sdk.Trajectory{}
	for _, plan := range planAll(t, read(t, "testdata/tiny.jsonl")) {
		plans[plan.Id] = plan
	}
	next := map[string]int{}
	for _, request := range wire {
		id := request.Header["X-Session-Id"][0]
		plan, n := plans[id], next[id]
		next[id]++
		asText(request.Body.Messages)
		if diff := cmp.Diff(request.Body.Messages, decoded(t, history(plan, n))); diff != "" {
			t.Errorf("%s, request %d: %s", id, n, diff)
		}
		var params struct {
			Temperature float64
			Stop        []any
		}
		params.Temperature = 1 // the run's own
		if p := plan.Turns[n].Params; p != nil {
			if err := json.Unmarshal(p, &params); err != nil {
				t.Fatal(err)
			}
		}
		if params.Temperature != request.Body.Temperature || !cmp.Equal(params.Stop, request.Body.Stop) {
			t.Errorf("%s, request %d: params %s", id, n, plan.Turns[n].Params)
		}
		if limit := plan.Turns[n].MaxTokens; limit > 0 && float64(limit) != request.Body.MaxCompletionTokens {
			t.Errorf("%s, request %d: limit %d", id, n, limit)
		}
		if (request.Body.Tools != nil) != (plan.Defaults != nil) {
			t.Errorf("%s: defaults %+v", id, plan.Defaults)
		}
	}
	if next["c1"] != 3 || next["sim_0001"] != 3 {
		t.Errorf("requests %v", next)
	}
	if got := plans["sim_0001"].Turns[0].MaxTokens; got != 77 {
		t.Errorf("limit %d, and the file says 77", got)
	}
}

func TestWireBytes(t *testing.T) {
	plan := planAll(t, read(t, "testdata/tiny.jsonl"))[0]
	want := []string{
		`{"role":"system","content":"SYS-1"}`,
		`{"role":"user","content":"hello"}`,
		`{"role":"assistant","tool_calls":[{"id":"functions.bash:0","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls -la\"}"}}],"reasoning_content":"think A"}`,
		`{"role":"tool","content":"a.txt","tool_call_id":"functions.bash:0"}`,
		`{"role":"assistant","content":"done","tool_calls":[{"id":"functions.bash:1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"cat a.txt\"}"}},{"id":"functions.bash:2","type":"function","function":{"name":"bash","arguments":"{\"command\": \"python3 x.py && git diff\"}"}}]}`,
		`{"role":"tool","content":"AAA","tool_call_id":"functions.bash:1"}`,
		`{"role":"tool","content":"","tool_call_id":"functions.bash:2"}`,
	}
	if diff := cmp.Diff(want, history(plan, 2)); diff != "" {
		t.Error(diff)
	}
	var delays []uint64
	for _, turn := range plan.Turns {
		delays = append(delays, turn.DelayNs)
	}
	if diff := cmp.Diff([]uint64{200_000_000, 300_000_000, 400_000_000}, delays); diff != "" {
		t.Error(diff)
	}
	if got := string(plan.Turns[0].Truth); got != `{"turn":2}` {
		t.Errorf("truth %s", got)
	}
}

func TestTruthStaysOutOfMessages(t *testing.T) {
	plan := planAll(t, read(t, "testdata/tiny.jsonl"))[1]
	if got, want := string(plan.Turns[0].Truth), `{"turn":2,"intent_codes":["I042","i043"]}`; got != want {
		t.Errorf("truth %s", got)
	}
	if last := plan.Turns[2]; last.Truth != nil || last.Recorded != nil || !last.Final {
		t.Errorf("the last turn has no answer on record: %+v", last)
	}
	if strings.Contains(strings.Join(history(plan, 2), ""), "intent_codes") {
		t.Error("the truth is in a request")
	}
	if plan.Domain != "workflow" {
		t.Errorf("domain %s", plan.Domain)
	}
}

// TestToolArguments is case 45.
func TestToolArguments(t *testing.T) {
	plan := planAll(t, caseFile(t, "45-tool-arguments-as-object/dataset.jsonl"))[0]
	var want struct {
		Arguments map[string]string `json:"arguments_on_wire_decoded"`
		Content   string            `json:"user_content_decoded"`
	}
	if err := json.Unmarshal(caseFile(t, "45-tool-arguments-as-object/expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	var message struct {
		ToolCalls []struct {
			ID       string
			Function struct{ Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(plan.Turns[0].Recorded.Json, &message); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, call := range message.ToolCalls {
		got[call.ID] = call.Function.Arguments
	}
	if diff := cmp.Diff(want.Arguments, got); diff != "" {
		t.Error(diff)
	}
	if first := history(plan, 0)[0]; !strings.Contains(first, want.Content) {
		t.Errorf("the content lost its signs: %s", first)
	}
	if history(plan, 1)[1] != history(plan, 2)[1] {
		t.Error("later requests carry other bytes")
	}
}

// TestRecordedArguments: the reference client sends arguments as they stand in the file.
func TestRecordedArguments(t *testing.T) {
	c := openPlugin(t, string(read(t, "testdata/tiny.jsonl")), `{"arguments":"recorded"}`, nil)
	plan, err := c.Plan(0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(plan.Turns[1].Recorded.Json); !strings.Contains(got, `"arguments":{"command":"cat a.txt"}`) || !strings.Contains(got, `"arguments":"{\"command\": \"python3`) {
		t.Error(got)
	}
}

// TestNullContent is case 47.
func TestNullContent(t *testing.T) {
	plan := planAll(t, caseFile(t, "47-null-content/dataset.jsonl"))[0]
	all := strings.Join(history(plan, 2), "")
	for _, word := range []string{`"None"`, "<nil>", "null", "undefined"} {
		if strings.Contains(all, word) {
			t.Errorf("%s in %s", word, all)
		}
	}
	if !strings.Contains(all, `{"role":"tool","content":"","tool_call_id":"call_1"}`) {
		t.Errorf("the empty result is gone: %s", all)
	}
}

func TestDelays(t *testing.T) {
	plan := planAll(t, caseFile(t, "56-tool-delay-accounting/dataset.jsonl"))[0]
	if a, b := plan.Turns[1].DelayNs, plan.Turns[2].DelayNs; a != 500_000_000 || b != 20_000_000_000 {
		t.Errorf("delays %d and %d", a, b)
	}
	for fields, want := range map[string]uint64{
		`"delay_seconds":0.1`:                    100_000_000,
		`"delay_seconds":1.0000000005`:           1_000_000_001,
		`"delay_seconds":-1`:                     0,
		`"delay_seconds":"0.5"`:                  0,
		`"delay_seconds":true`:                   0,
		`"delay_seconds":null,"delay_ms":1.5`:    1_500_000,
		`"delay_seconds":2,"delay_ms":1.5`:       2_000_000_000,
		`"delay_seconds":0,"delay_ms":25e-1`:     2_500_000,
		`"delay_seconds":1e-3`:                   1_000_000,
		`"delay_seconds":0.12345678949999999999`: 123_456_789,
	} {
		row := `{"conversation_id":"c","turn":1,"role":"user","content":"x",` + fields + `}`
		if got := planAll(t, []byte(row))[0].Turns[0].DelayNs; got != want {
			t.Errorf("%s: %d ns, want %d", fields, got, want)
		}
	}
}

func TestGoldenMessages(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name     string
			Rows     []json.RawMessage
			OK       bool
			Messages map[string][]any
		}
	}
	if err := json.Unmarshal(read(t, "../dataset/testdata/golden/dataset_validation.json"), &golden); err != nil {
		t.Fatal(err)
	}
	for _, tc := range golden.Cases {
		if !tc.OK || tc.Name == "valid_unsorted_turns_in_file" {
			continue
		}
		t.Run(tc.Name, func(t *testing.T) {
			var file bytes.Buffer
			for _, row := range tc.Rows {
				if err := json.Compact(&file, row); err != nil {
					t.Fatal(err)
				}
				file.WriteByte('\n')
			}
			for _, plan := range planAll(t, file.Bytes()) {
				for n, turn := range plan.Turns {
					want := tc.Messages[goldenKey(t, plan, turn, n, tc.Rows)]
					asText(want)
					if diff := cmp.Diff(want, decoded(t, history(plan, n))); diff != "" {
						t.Errorf("turn %d: %s", n, diff)
					}
				}
			}
		})
	}
}

// goldenKey names a client turn as the golden file does; there the id "001" became "1".
func goldenKey(t *testing.T, plan *sdk.Trajectory, _ sdk.Turn, n int, rows []json.RawMessage) string {
	t.Helper()
	seen := 0
	for _, raw := range rows {
		row, err := dataset.ParseRow(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !row.IsClient() || row.Metadata {
			continue
		}
		if seen == n {
			turn, _ := row.TurnNumber()
			number, _ := json.Marshal(turn)
			return strings.TrimLeft(plan.Id, "0") + "|" + string(number)
		}
		seen++
	}
	return ""
}
