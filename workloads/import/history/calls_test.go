package history

import (
	"fmt"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/workloads/import/frame"
)

// call is a request of users' and assistants' messages by turns.
func call(start, end int64, answer string, input ...string) Call {
	c := Call{Start: start, End: end, Usage: NoUsage()}
	for i, text := range input {
		c.Input = append(c.Input, Text([]string{"user", "assistant"}[i%2], text))
	}
	if answer != "" {
		m := Text("assistant", answer)
		c.Output = &m
	}
	return c
}

// shape tells of each turn its branch, what it waits for, its delay, how many messages it adds, and whether it is final.
func shape(turns []sdk.Turn) string {
	var out []string
	for i := range turns {
		t := &turns[i]
		after := "previous"
		if t.After != nil {
			after = fmt.Sprint(t.After.Turns)
		}
		out = append(out, fmt.Sprintf("b%d %s %d +%d %t", t.Branch, after, t.DelayNs, len(t.Append), t.Final))
	}
	return strings.Join(out, "; ")
}

func TestTrajectory(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls []Call
		want  string
	}{
		{"one after another", []Call{call(0, 5, "b", "a"), call(7, 9, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b0 previous 2 +1 true"},
		{"an answer in another form", []Call{call(0, 5, "b", "a"), call(7, 9, "d", "a", "B!", "c")},
			"b0 previous 0 +1 false; b0 previous 2 +1 true"},
		{"another beginning", []Call{call(0, 5, "b", "a"), call(7, 9, "d", "x", "b", "c")},
			"b0 previous 0 +1 false; b1 [0] 2 +3 true"},
		{"fan-out and fan-in", []Call{call(0, 5, "b", "a"), call(6, 20, "s", "sub 1"), call(7, 10, "s", "sub 2"), call(22, 30, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b1 [0] 1 +1 false; b2 [0] 2 +1 false; b0 [0 1 2] 2 +1 true"},
		{"side by side from the start", []Call{call(10, 20, "b", "a"), call(13, 15, "y", "x")},
			"b0 previous 0 +1 true; b1 [] 3 +1 false"},
		{"a history cut short", []Call{call(0, 1, "b", "a"), call(2, 3, "d", "a", "b", "c"), call(4, 5, "f", "a", "b", "e")},
			"b0 previous 0 +1 false; b0 previous 1 +1 false; b1 [1] 1 +3 true"},
		{"no times", []Call{call(frame.NoTime, frame.NoTime, "b", "a"), call(3, 9, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b0 previous 0 +1 true"},
		{"no answer on record", []Call{call(0, 5, "", "a"), call(7, 9, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b0 previous 2 +1 true"},
		{"asked again", []Call{call(0, 5, "", "a"), call(7, 9, "b", "a"), call(9, 11, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b1 [0] 2 +1 false; b1 previous 0 +1 true"},
		{"begun by its clock before the answer was there", []Call{call(0, 5, "b", "a"), call(4, 9, "d", "a", "b", "c")},
			"b0 previous 0 +1 false; b0 previous 0 +1 true"},
		{"begun before an answer of another form was there", []Call{call(0, 5, "b", "a"), call(4, 9, "d", "a", "B!", "c")},
			"b0 previous 0 +1 false; b1 [] 4 +3 true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := shape(Trajectory(tc.calls).Turns); got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestLinked goes on twice from one answer: the second time on a branch with the whole history.
func TestLinked(t *testing.T) {
	calls := []Call{call(0, 1, "b", "a"), call(2, 3, "d", "c"), call(4, 5, "f", "e")}
	for i, parent := range []int{-1, 0, 0} {
		calls[i].Linked, calls[i].Parent = true, parent
	}
	turns := Trajectory(calls).Turns
	if got, want := shape(turns), "b0 previous 0 +1 false; b0 previous 1 +1 false; b1 [1] 1 +3 true"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	var texts []string
	for _, m := range turns[2].Append {
		texts = append(texts, string(m.Json))
	}
	if got := strings.Join(texts, ""); got != `{"role":"user","content":"a"}{"role":"assistant","content":"b"}{"role":"user","content":"e"}` {
		t.Error(got)
	}
}

func TestShared(t *testing.T) {
	a, b := call(0, 1, "b", "a"), call(2, 3, "d", "a", "b", "c")
	a.Tools, b.Tools, a.Params, b.Params = []byte(`[1]`), []byte(`[1]`), []byte(`{"top_p":1}`), []byte(`{"top_p":2}`)
	plan := Trajectory([]Call{a, b})
	if string(plan.Defaults.Tools) != `[1]` || plan.Defaults.Params != nil || string(plan.Turns[1].Params) != `{"top_p":2}` {
		t.Errorf("%+v %s", plan.Defaults, plan.Turns[1].Params)
	}
	b.Tools, b.Params = nil, a.Params
	plan = Trajectory([]Call{a, b})
	if plan.Defaults.Tools != nil || string(plan.Turns[0].Params) != `{"tools":[1]}` || string(plan.Defaults.Params) != `{"top_p":1}` {
		t.Errorf("%+v %s", plan.Defaults, plan.Turns[0].Params)
	}
}

func TestInstants(t *testing.T) {
	const want = 1_767_323_045_250_000_000
	for _, text := range []string{`"2026-01-02T03:04:05.25Z"`, `"2026-01-02 03:04:05.25"`, `"2026-01-02T04:04:05.25+01:00"`, `1767323045.25`, `1767323045250`, `"1767323045250000"`, `1767323045250000000`} {
		if got := Guess([]byte(text)); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
	for _, text := range []string{`"soon"`, `null`, ``, `-1`} {
		if got := Guess([]byte(text)); got != frame.NoTime && text != `-1` {
			t.Errorf("%s: %d", text, got)
		}
	}
}
