package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/sdktest"
)

var plugin = sdk.Plugin{Name: "codeqa", Version: "0.1.0", Components: []sdk.Component{Component()}}

func opened(t *testing.T, config string) *sdktest.Component {
	t.Helper()
	return sdktest.Open(t, &plugin, "tasks", sdktest.Options{Config: config})
}

// said makes an answer of a text and calls, each a name and arguments.
func said(text string, calls ...string) *sdk.Answer {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	m := map[string]any{"role": "assistant", "content": text}
	var list []call
	for i := 0; i < len(calls); i += 2 {
		list = append(list, call{fmt.Sprint("c", i/2), "function", function{calls[i], calls[i+1]}})
	}
	if list != nil {
		m["tool_calls"] = list
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return &sdk.Answer{Message: raw, Outcome: "ok"}
}

// talk plays answers and returns the contents that each step appended, and how the conversation ended.
func talk(t *testing.T, c *sdktest.Component, list ...*sdk.Answer) (contents [][]string, delays []uint64, end *sdk.End) {
	t.Helper()
	plan, err := c.Plan(0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	state := plan.State
	for i, a := range list {
		next, err := c.Next(state, uint32(i), a)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Next(state, uint32(i), a)
		if err != nil || string(again.Marshal()) != string(next.Marshal()) {
			t.Errorf("step %d gives two results, %v", i, err)
		}
		if next.End != nil {
			return contents, delays, next.End
		}
		if len(next.Turns) != 1 || next.Turns[0].Index != uint32(i)+1 || len(next.State) > 32<<10 {
			t.Fatalf("step %d: %+v", i, next)
		}
		var step []string
		for _, m := range next.Turns[0].Append {
			var message struct {
				Role, Content string
				ToolCallID    string `json:"tool_call_id"`
			}
			if err := json.Unmarshal(m.Json, &message); err != nil {
				t.Fatal(err)
			}
			step = append(step, message.Role+" "+message.ToolCallID+" "+message.Content)
		}
		contents, delays, state = append(contents, step), append(delays, next.Turns[0].DelayNs), next.State
	}
	return contents, delays, nil
}

func TestPlan(t *testing.T) {
	c := opened(t, `{}`)
	info := c.Opened.Workload
	if info.Trajectories != 54 || !info.Live || !info.Fixed || !json.Valid(info.Defaults.Tools) {
		t.Fatalf("%+v", info)
	}
	seen := map[string]bool{}
	for i := range info.Trajectories {
		p, err := c.Plan(i, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := opened(t, `{}`).Plan(i, 3, []byte("seed"))
		if err != nil || string(other.Marshal()) != string(p.Marshal()) {
			t.Errorf("plan %d differs, %v", i, err)
		}
		if seen[p.Id] || !json.Valid(p.Truth) || len(p.Turns) != 1 || len(p.Turns[0].Append) != 2 || !json.Valid(p.Turns[0].Append[1].Json) || len(p.State) > 1000 {
			t.Errorf("plan %d: %+v", i, p)
		}
		seen[p.Id] = true
	}
	if _, err := c.Plan(54, 0, nil); sdktest.Code(err) != sdk.CodeOutOfRange {
		t.Errorf("beyond the end: %v", err)
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]uint64{`{"subset":"path"}`: 8, `{"subset":"trace","first":3}`: 3, `{"first":1000}`: 54, `{"prompt":"bare","tool_delay_ms":0}`: 54} {
		if got := opened(t, config).Opened.Workload.Trajectories; got != want {
			t.Errorf("%s: %d trajectories, want %d", config, got, want)
		}
	}
	for config, want := range map[string]string{
		`{"max_steps":101}`: "/max_steps", `{"max_steps":0}`: "/max_steps", `{"subset":"all of it"}`: "/subset", `{"prompt":1}`: "/prompt",
		`{"tool_delay_ms":60001}`: "/tool_delay_ms", `{"steps":1}`: "/steps",
	} {
		if _, err := sdktest.TryOpen(t, &plugin, "tasks", sdktest.Options{Config: config}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", config, err)
		}
	}
}

func TestConversation(t *testing.T) {
	contents, delays, end := talk(t, opened(t, `{"tool_delay_ms":10}`),
		said("Let me look.", "grep", `{"pattern":"RAFT_LENGTH_M ="}`, "list", `{"path":"docs"`, "open", `{}`),
		said("", "read", `{"path":"planner/planner/assign.py","lines":1}`),
		said("Answer: 40"))
	for i, want := range [][]string{
		{"tool c0 planner/planner/assign.py:9: RAFT", "tool c1 error: the arguments are no JSON", `tool c2 error: there is no tool "open"`},
		{"tool c0    1  \"\"\"Chooses a berth"},
	} {
		if len(contents) != 2 || len(contents[i]) != len(want) {
			t.Fatalf("%q", contents)
		}
		for k := range want {
			if !strings.HasPrefix(contents[i][k], want[k]) {
				t.Errorf("step %d, result %d: %q, want %q", i, k, contents[i][k], want[k])
			}
		}
	}
	if delays[0] < 15e6 || delays[0] >= 45e6 || delays[1] < 5e6 || delays[1] >= 15e6 {
		t.Errorf("delays %v", delays)
	}
	if want := `{"task":"value-01","outcome":"answered","steps":3,"calls":4,"failed_calls":2,"repeated_calls":0}`; end == nil || end.Outcome != answered || string(end.Result) != want {
		t.Errorf("ended as %+v", end)
	}
}

func TestRules(t *testing.T) {
	list := said("", "list", `{}`)
	many := []string{}
	for i := range 10 {
		many = append(many, "read", fmt.Sprintf(`{"path":"README.md","start":%d}`, i+1))
	}
	for name, c := range map[string]struct {
		config  string
		answers []*sdk.Answer
		last    string // what the last result holds
		end     string
	}{
		"the last step calls":       {`{"max_steps":2}`, []*sdk.Answer{list, list}, "answer now", gaveUp},
		"the last step answers":     {`{"max_steps":2}`, []*sdk.Answer{list, said("40")}, "answer now", answered},
		"one empty answer":          {`{}`, []*sdk.Answer{said(" \n"), said("40")}, "Your answer was empty", answered},
		"two empty answers":         {`{}`, []*sdk.Answer{said(""), list, said("<think>so</think>")}, "README.md", empty},
		"nothing in the one step":   {`{"max_steps":1}`, []*sdk.Answer{said("")}, "", empty},
		"the same call three times": {`{}`, []*sdk.Answer{list, said("", "list", ` { } `), list, said("x")}, "this very call was made 2 times before", answered},
		"too many calls":            {`{}`, []*sdk.Answer{said("", many...), said("x")}, "more than 8 calls in one answer", answered},
		"the target failed":         {`{}`, []*sdk.Answer{{Outcome: "timeout"}}, "", failed},
		"no message":                {`{}`, []*sdk.Answer{{}, {Message: []byte("[1]")}}, "empty", empty},
		"calls without names":       {`{}`, []*sdk.Answer{{Message: []byte(`{"tool_calls":[{"function":{"arguments":{"a":1}}},{}]}`)}, said("x")}, "names no tool", answered},
	} {
		t.Run(name, func(t *testing.T) {
			contents, _, end := talk(t, opened(t, c.config), c.answers...)
			if end == nil || end.Outcome != c.end || !json.Valid(end.Result) {
				t.Fatalf("ended as %+v, want %s", end, c.end)
			}
			if n := len(contents); c.last != "" && !strings.Contains(contents[n-1][len(contents[n-1])-1], c.last) {
				t.Errorf("the last step says %q, want %q", contents[n-1], c.last)
			}
		})
	}
}

func TestStateIsChecked(t *testing.T) {
	c := opened(t, `{}`)
	for _, raw := range []string{"", "x", `{}`, `{"task":"none","steps":0,"calls":0,"failed":0,"repeated":0}`, `{"task":"value-01","steps":-1,"calls":0,"failed":0,"repeated":0}`, `{"task":"value-01","steps":1,"calls":0,"failed":0,"repeated":0,"seen":["zz",1]}`} {
		if _, err := c.Next([]byte(raw), 0, said("x")); sdktest.Code(err) != sdk.CodeInvalidArgument {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// TestStateStaysSmall makes as many different calls as the rules allow.
func TestStateStaysSmall(t *testing.T) {
	c := opened(t, `{"max_steps":100,"tool_delay_ms":0}`)
	var list []*sdk.Answer
	for i := range 99 {
		var calls []string
		for k := range 8 {
			calls = append(calls, "read", fmt.Sprintf(`{"path":"README.md","start":%d}`, 8*i+k))
		}
		list = append(list, said("", calls...))
	}
	if contents, _, _ := talk(t, c, list...); len(contents) != 99 {
		t.Errorf("%d steps", len(contents))
	}
}
