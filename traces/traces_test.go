package traces

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/digest"
	"paceline/core/trajectory"
	"paceline/traces/pieces"
)

// golden gives the lines of every golden file of the importers.
func golden(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../workloads/import/*/testdata/*.golden")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var lines []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "{") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// read makes a trajectory of a line, as far as the tests need it: by the names of the schema.
func read(t *testing.T, line string) *trajectory.Trajectory {
	t.Helper()
	type message = json.RawMessage
	var in struct {
		ID, Domain           string
		Labels               map[string]string
		Params, Tools, Truth json.RawMessage
		StartOffset          *time.Duration `json:"start_offset_ns"`
		Turns                []struct {
			Index, Branch uint32
			ForkOf        *uint32 `json:"fork_of"`
			After         *[]uint32
			Delay         time.Duration `json:"delay_ns"`
			Labels        map[string]string
			Params, Truth json.RawMessage
			MaxTokens     uint32 `json:"max_tokens"`
			ExactTokens   uint32 `json:"exact_tokens"`
			Final         bool
			Append        []message
			Recorded      message
		}
	}
	if err := json.Unmarshal([]byte(line), &in); err != nil {
		t.Fatal(err)
	}
	out := &trajectory.Trajectory{ID: in.ID, Domain: in.Domain, Labels: labelsOf(in.Labels), Params: in.Params, Tools: in.Tools, Truth: in.Truth, StartOffset: in.StartOffset}
	for _, turn := range in.Turns {
		made := trajectory.Turn{
			Index: turn.Index, Branch: turn.Branch, ForkOf: turn.ForkOf, After: turn.After, Delay: turn.Delay, Labels: labelsOf(turn.Labels), Params: turn.Params,
			Truth: turn.Truth, MaxTokens: turn.MaxTokens, ExactTokens: turn.ExactTokens, Final: turn.Final,
		}
		for _, m := range turn.Append {
			made.Append = append(made.Append, messageOf(t, m))
		}
		if turn.Recorded != nil {
			m := messageOf(t, turn.Recorded)
			made.Recorded = &m
		}
		out.Turns = append(out.Turns, made)
	}
	return out
}

func labelsOf(m map[string]string) []trajectory.Label {
	var list []trajectory.Label
	for k, v := range m {
		list = append(list, trajectory.Label{Key: k, Value: v})
	}
	return sorted(list)
}

func messageOf(t *testing.T, raw json.RawMessage) trajectory.Message {
	t.Helper()
	var in struct {
		Composed *struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Pieces     []struct {
				Text   *string
				Filler *struct {
					Tokens    uint32
					Key       string
					KeyBase64 []byte `json:"key_base64"`
					Scope     string
				}
				AnswerOfTurn *uint32 `json:"answer_of_turn"`
			}
		}
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		t.Fatal(err)
	}
	if in.Composed == nil {
		return trajectory.Message{JSON: raw}
	}
	c := &trajectory.Composed{Role: in.Composed.Role, ToolCallID: in.Composed.ToolCallID}
	for _, p := range in.Composed.Pieces {
		piece := trajectory.Piece{AnswerOfTurn: p.AnswerOfTurn}
		if p.Text != nil {
			piece.Text = []byte(*p.Text)
		}
		if p.Filler != nil {
			scope := map[string]trajectory.Scope{"trajectory": trajectory.ScopeTrajectory, "run": trajectory.ScopeRun, "workload": trajectory.ScopeWorkload}
			piece.Filler = &trajectory.Filler{Tokens: p.Filler.Tokens, Key: append([]byte(p.Filler.Key), p.Filler.KeyBase64...), Scope: scope[p.Filler.Scope]}
		}
		c.Pieces = append(c.Pieces, piece)
	}
	return trajectory.Message{Composed: c}
}

// TestAppend writes what was read and gets the same bytes.
func TestAppend(t *testing.T) {
	for _, line := range golden(t) {
		plan := read(t, line)
		if err := plan.Check(); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		got, err := Append(nil, plan)
		if diff := cmp.Diff(line, string(got)); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
}

func TestSummary(t *testing.T) {
	var s Summary
	for _, line := range golden(t) {
		if strings.Contains(line, `"id":"trace-1","labels":{"format":"trie"}`) || strings.Contains(line, `"id":"sess-1"`) {
			s.Add(read(t, line))
		}
	}
	want := Summary{ // the trie row: requests of 6318, 12537 and 13644 tokens, answers of 1986 in all
		Trajectories: 2, Turns: 6, MostTurns: 3, Answers: 6, Filler: 6, Told: 2, Input: 32499 + 1120, Output: 1986 + 85, Cached: 200,
		Wait: 2770*time.Millisecond + 10*time.Second, Longest: 10 * time.Second, Offsets: 1,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func anonymous(t *testing.T, a *Anonymizer, plan *trajectory.Trajectory) []byte {
	t.Helper()
	made, err := a.Trajectory(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Check(); err != nil {
		t.Error(err)
	}
	line, err := Append(nil, made)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// TestAnonymousHoldsNoText is the promise: no twelve bytes in a row of any text of the files, keys included, are in any text
// of what was made of them.
func TestAnonymousHoldsNoText(t *testing.T) {
	files, err := filepath.Glob("../workloads/import/*/testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".golden"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	a := NewAnonymizer(digest.Of([]byte("x")))
	var made []byte
	for _, line := range golden(t) {
		made = append(made, anonymous(t, a, read(t, line))...)
	}
	if held := nothingOf(t, all, made); a.Spoilt() || held < 500 {
		t.Errorf("spoilt %t, %d texts looked at", a.Spoilt(), held)
	}
}

// nothingOf fails where a text of made holds a piece of an original; it tells how many it looked at.
func nothingOf(t *testing.T, original, made []byte) (looked int) {
	t.Helper()
	set, err := pieces.Of(bytes.NewReader(original))
	if err != nil || set.Len() < 100 {
		t.Fatalf("only %d pieces of originals, %v", set.Len(), err)
	}
	err = pieces.Texts(bytes.NewReader(made), func(text string, number bool) {
		if number { // counts and times stay
			return
		}
		looked++
		if piece := set.In(text); piece != "" {
			t.Errorf("%q of an original is in %q", piece, text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return looked
}

// TestAnonymousHostile gives texts that are made to come through: pieces of eleven bytes, digits, secrets as keys, names,
// labels and domains, and names such as those that are given.
func TestAnonymousHostile(t *testing.T) {
	const secret = "sk-live-0123456789abcdef"
	eleven := strings.Repeat("t0000000001abcdefghijklmnopqrstuvwx", 5)
	arguments := `{"` + secret + `":["9876543210987654321","` + secret + `",123456789012345]}`
	text := func(v any) json.RawMessage {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plan := &trajectory.Trajectory{
		ID: "customer-" + secret, Domain: secret + ".example.com", Labels: []trajectory.Label{{Key: secret + "-key", Value: secret + "-value"}},
		Params: json.RawMessage(`{"model":"acme/` + secret + `","stop":["` + secret + `"],"temperature":0.25,"` + secret + `":1}`),
		Tools:  json.RawMessage(`[{"type":"function","function":{"name":"call_` + secret + `","description":"` + eleven + `","parameters":{"` + secret + `":{}}}}]`),
		Turns: []trajectory.Turn{{
			Append: []trajectory.Message{
				{JSON: text(map[string]any{"role": secret, "name": secret, "content": eleven})},
				{JSON: text(map[string]any{"role": "tool", "tool_call_id": "id-" + secret, "content": []any{map[string]any{"type": secret, secret: secret}}})},
			},
			Recorded: &trajectory.Message{JSON: text(map[string]any{
				"role": "assistant", "reasoning_content": secret + eleven,
				"tool_calls": []any{map[string]any{"id": "id-" + secret, "function": map[string]any{"name": "call_" + secret, "arguments": arguments}}},
			})},
			Truth: json.RawMessage(`{"usage":{"input_tokens":5,"` + secret + `":7},"note":"` + secret + `"}`),
		}},
	}
	original := text([]any{
		plan.ID, plan.Domain, plan.Labels[0].Key, plan.Labels[0].Value, plan.Params, plan.Tools, plan.Turns[0].Append[0].JSON, plan.Turns[0].Append[1].JSON,
		plan.Turns[0].Recorded.JSON, plan.Turns[0].Truth,
	})
	if looked := nothingOf(t, original, anonymous(t, NewAnonymizer(digest.Of([]byte("x"))), plan)); looked < 30 {
		t.Errorf("only %d texts looked at", looked)
	}
}

// TestAnonymousKeepsShape compares lengths, structure and times.
func TestAnonymousKeepsShape(t *testing.T) {
	a := NewAnonymizer(digest.Of([]byte("x")))
	for _, line := range golden(t) {
		plan := read(t, line)
		made, err := a.Trajectory(plan)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shape(t, plan), shape(t, made)); diff != "" {
			t.Errorf("%s: %s", plan.ID, diff)
		}
	}
}

// shape is what stays.
func shape(t *testing.T, plan *trajectory.Trajectory) any {
	t.Helper()
	message := func(m *trajectory.Message) any {
		if m == nil {
			return nil
		}
		if m.Composed != nil {
			var out []any
			for _, p := range m.Composed.Pieces {
				if p.Filler != nil {
					out = append(out, p.Filler.Tokens, p.Filler.Scope)
				}
				out = append(out, len(p.Text), p.AnswerOfTurn)
			}
			return out
		}
		var c struct {
			Role      string
			Content   any
			Reasoning string                                          `json:"reasoning_content"`
			Calls     []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
		}
		if err := json.Unmarshal(m.JSON, &c); err != nil {
			t.Fatal(err)
		}
		text, _ := c.Content.(string)
		out := []any{c.Role, len(text), len(c.Reasoning)}
		for _, call := range c.Calls {
			length := len(call.Function.Arguments)
			if length < 12 {
				length = 2 // too short to be told apart
			}
			out = append(out, length)
		}
		return out
	}
	var out []any
	for i := range plan.Turns {
		turn := &plan.Turns[i]
		var messages []any
		for k := range turn.Append {
			messages = append(messages, message(&turn.Append[k]))
		}
		out = append(out, []any{turn.Index, turn.Branch, turn.ForkOf, turn.After, turn.Delay, turn.MaxTokens, turn.ExactTokens, turn.Final, string(truth(turn.Truth)), messages, message(turn.Recorded)})
	}
	return out
}

func TestAnonymousTexts(t *testing.T) {
	a := NewAnonymizer(digest.Of([]byte("x")))
	long := strings.Repeat("All agents read the same long prompt. ", 20)
	one, two := a.w.text([]byte(long+"One ends so.")), a.w.text([]byte(long+"Another ends otherwise."))
	common := 0
	for common < min(len(one), len(two)) && one[common] == two[common] {
		common++
	}
	if want := len(long) / blockBytes * blockBytes; common < want || common > want+2*blockBytes {
		t.Errorf("texts that share %d bytes share %d afterwards", len(long), common)
	}
	if again := a.w.text([]byte(long + "One ends so.")); !bytes.Equal(one, again) {
		t.Error("equal texts differ afterwards")
	}
	if other := NewAnonymizer(digest.Of([]byte("y"))).w.text([]byte(long + "One ends so.")); bytes.Equal(one, other) {
		t.Error("another file gives the same text")
	}
	for i := 0; i+12 <= len(one); i++ {
		if !bytes.Contains(one[i:i+12], a.w.mark[:]) {
			t.Fatalf("no mark in %q", one[i:i+12])
		}
	}
	for n := range 40 {
		arguments := a.arguments([]byte(`"` + long[:n*9] + `"`))
		if !json.Valid([]byte(arguments)) || n > 1 && len(arguments) != n*9 {
			t.Errorf("%d bytes of arguments: %s", n*9, arguments)
		}
		for i := 0; i+12 <= len(arguments); i++ {
			if !strings.Contains(arguments[i:i+12], string(a.w.mark[:])) {
				t.Fatalf("no mark in %q", arguments[i:i+12])
			}
		}
	}
}

// TestSpoilt takes another mark where a text holds the first.
func TestSpoilt(t *testing.T) {
	a := NewAnonymizer(digest.Of([]byte("x")))
	plan := &trajectory.Trajectory{ID: "x", Turns: []trajectory.Turn{{Append: []trajectory.Message{{JSON: json.RawMessage(`{"role":"user","content":"a~^b and ^` + "`" + `"}`)}}}}}
	for restarts := 0; ; restarts++ {
		if _, err := a.Trajectory(plan); err != nil {
			t.Fatal(err)
		}
		if !a.Spoilt() {
			if restarts == 0 {
				t.Error("the mark in a text was not noted")
			}
			return
		}
		if err := a.Restart(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMarks(t *testing.T) {
	seen := map[[2]byte]bool{}
	for n := 0; ; n++ {
		mark, ok := markOf(n)
		if !ok {
			if n != len(marks)*len(marks) || len(seen) != n {
				t.Errorf("%d marks, %d different ones", n, len(seen))
			}
			return
		}
		seen[mark] = true
	}
}
