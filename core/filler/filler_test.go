package filler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/filler"
	"paceline/core/trajectory"
)

// template is a target with a chat template: words of an odd number of tokens, and marks around messages.
type template struct {
	prompt, system, turn int
	silent               bool
}

// tokens counts as a tokenizer does that splits at blanks: some words have two tokens.
func tokens(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		n++
		if strings.ContainsAny(w, "xyw") {
			n++
		}
	}
	return n
}

func (a template) Ask(_ context.Context, prompt []chat.Draft) (uint64, error) {
	if a.silent {
		return 0, filler.ErrNoUsage
	}
	return uint64(a.count(prompt)), nil
}

// Answer writes as the target does: one token in 64 comes back as two.
func (a template) Answer(_ context.Context, _ []chat.Draft, n uint32) (chat.Draft, uint64, error) {
	return chat.Draft{Role: "assistant", Pieces: []chat.Piece{{Inside: written(int(n))}}}, uint64(n), nil
}

func written(n int) []byte {
	return []byte(strings.Repeat(strings.Repeat(" the", 63)+" now", n/64+1)[:4*n])
}

func (a template) count(prompt []chat.Draft) int {
	n := a.prompt
	for i, m := range prompt {
		switch {
		case m.Role == "system":
			n += a.system
		case m.Role == "assistant":
			n += a.turn - 3
		case i > 0 && prompt[i-1].Role == "assistant":
			n += 3
		}
		for _, p := range m.Pieces {
			n += tokens(string(p.Inside))
		}
	}
	return n
}

// exact is a target that takes token ids and adds one of its own.
type exact struct{ added int }

func (a exact) Ask(_ context.Context, prompt []chat.Draft) (uint64, error) {
	return uint64(a.added + countIDs(prompt)), nil
}

func (exact) Answer(context.Context, []chat.Draft, uint32) (chat.Draft, uint64, error) {
	return chat.Draft{}, 0, errBroken
}

func countIDs(prompt []chat.Draft) int {
	n := 0
	for _, m := range prompt {
		n += bytes.Count(m.JSON, []byte{','}) + 1
	}
	return n
}

func filled(n int, key string, scope trajectory.Scope) trajectory.Message {
	return message("user", trajectory.Piece{Filler: &trajectory.Filler{Tokens: uint32(n), Key: []byte(key), Scope: scope}})
}

func message(role string, pieces ...trajectory.Piece) trajectory.Message {
	return trajectory.Message{Composed: &trajectory.Composed{Role: role, Pieces: pieces}}
}

// agent is a length-only trajectory: an input, and for each turn an answer and what the tool says to it.
func agent(input int, answers, tools []int) []trajectory.Turn {
	turns := []trajectory.Turn{{Append: []trajectory.Message{filled(input, "input", trajectory.ScopeTrajectory)}}}
	for i := range answers {
		turns[i].ExactTokens = uint32(answers[i])
		turns = append(turns, trajectory.Turn{Index: uint32(i + 1), Append: []trajectory.Message{filled(tools[i], fmt.Sprint("tool", i), trajectory.ScopeTrajectory)}})
	}
	return turns
}

func composer(t *testing.T, l filler.Lengths) *filler.Composer {
	t.Helper()
	c, err := filler.New(42, l)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func made(t *testing.T, s *filler.Script, turn *trajectory.Turn) filler.Made {
	t.Helper()
	m, err := s.Turn(turn)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestContexts plays length-only trajectories at a target with a template, answers of exact lengths included: no context is
// off by more than half a percent, however many small messages it has.
func TestContexts(t *testing.T) {
	target := template{prompt: 11, system: 7, turn: 10}
	found, err := filler.Calibrate(t.Context(), 42, filler.Text, true, target)
	if err != nil {
		t.Fatal(err)
	}
	if want := (filler.Overhead{Prompt: 11, System: 7, Turn: 10}); found.State != filler.Calibrated || found.Overhead != want || found.Answer != 1_015_625 {
		t.Errorf("found %+v, want overheads %+v", found, want)
	}
	small := make([]int, 150)
	for i := range small {
		small[i] = 1 + i*7%60
	}
	system := agent(3000, []int{30}, []int{200})
	prompt := trajectory.Message{Composed: &trajectory.Composed{Role: "system", Pieces: filled(900, "system", trajectory.ScopeRun).Composed.Pieces}}
	system[0].Append = append([]trajectory.Message{prompt}, system[0].Append...)
	for name, turns := range map[string][]trajectory.Turn{
		"system":     system,
		"line 1729":  agent(6318, []int{101, 1084}, []int{6118, 23}),
		"many small": agent(4000, small, small),
		"short":      agent(2000, []int{20, 20}, []int{4, 400}),
	} {
		s := composer(t, found).Begin(filler.Owner{Workload: "w", Trajectory: name}, true)
		var history []chat.Draft
		for i := range turns {
			m := made(t, s, &turns[i])
			history = append(history, m.Append...)
			got, want := target.count(history), int(m.Prompt)
			if off := max(got-want, want-got); off*200 > want {
				t.Errorf("%s, turn %d: %d tokens, wanted %d", name, i, got, want)
			}
			s.Told(&turns[i], uint64(got), uint64(turns[i].ExactTokens))
			history = append(history, chat.Draft{Role: "assistant", Pieces: []chat.Piece{{Inside: written(int(turns[i].ExactTokens))}}})
		}
	}
}

func TestExactContexts(t *testing.T) {
	for _, added := range []int{0, 1} {
		found, err := filler.Calibrate(t.Context(), 42, filler.Exact, true, exact{added})
		if err != nil || found.Added != int64(added) {
			t.Fatalf("found %+v: %v", found, err)
		}
		turns := agent(6318, []int{101, 1084}, []int{6118, 23})
		s := composer(t, found).Begin(filler.Owner{}, true)
		n := added
		for i, want := range []int{6318, 12537, 13644} {
			m := made(t, s, &turns[i])
			n += countIDs(m.Append)
			if n != want || m.Prompt != int64(want) {
				t.Errorf("added %d, turn %d: %d ids, %d planned, want %d", added, i, n, m.Prompt, want)
			}
			var ids []int
			all := bytes.Join([][]byte{{'['}, m.Append[0].JSON, {']'}}, nil)
			if err := json.Unmarshal(all, &ids); err != nil || ids[0] < filler.FirstID || ids[0] >= filler.LastID {
				t.Errorf("ids %v: %v", ids, err)
			}
			n += int(turns[i].ExactTokens)
		}
	}
}

// TestSharing: equal keys of one scope give the common prefix, all else differs within a cache block.
func TestSharing(t *testing.T) {
	c := composer(t, filler.Default(filler.Text))
	text := func(o filler.Owner, n int, key string, scope trajectory.Scope) string {
		s := c.Begin(o, false)
		turn := trajectory.Turn{Append: []trajectory.Message{filled(n, key, scope)}}
		return string(bytes.Join(raw(fragments(made(t, s, &turn).Append)), nil))
	}
	one, two := filler.Owner{Workload: "w", Trajectory: "t1"}, filler.Owner{Workload: "w", Trajectory: "t2"}
	again, other := filler.Owner{Workload: "w", Trajectory: "t1", Repeat: 1}, filler.Owner{Workload: "v", Trajectory: "t1"}
	for _, tt := range []struct {
		scope  trajectory.Scope
		a, b   filler.Owner
		shared bool
	}{
		{trajectory.ScopeTrajectory, one, one, true}, {trajectory.ScopeTrajectory, one, two, false},
		{trajectory.ScopeTrajectory, one, again, false}, {trajectory.ScopeTrajectory, one, other, false},
		{trajectory.ScopeWorkload, one, two, true}, {trajectory.ScopeWorkload, one, other, false}, {trajectory.ScopeWorkload, one, again, false},
		{trajectory.ScopeRun, one, two, true}, {trajectory.ScopeRun, one, other, true}, {trajectory.ScopeRun, one, again, false},
	} {
		a, b := text(tt.a, 3000, "k", tt.scope), text(tt.b, 2000, "k", tt.scope)
		if n := common(a, b); tt.shared && n < len(b)-2 || !tt.shared && n > 16*4 {
			t.Errorf("scope %d, %v and %v: %d bytes in common", tt.scope, tt.a, tt.b, n)
		}
	}
	if n := common(text(one, 100, "k", trajectory.ScopeRun), text(one, 100, "l", trajectory.ScopeRun)); n > 16*4 {
		t.Errorf("two keys have %d bytes in common", n)
	}
	if got := tokens(text(one, 3_000_000, "k", trajectory.ScopeRun)); got < 3_000_000 {
		t.Errorf("more than the shared run has: %d words", got)
	}
}

func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func fragments(list []chat.Draft) []json.RawMessage {
	out, _ := chat.Fragments(list)
	return out
}

func raw(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

// TestSameBytes pins what is made of a plan: journals keep only the recipe.
func TestSameBytes(t *testing.T) {
	turns := agent(6318, []int{101, 1084}, []int{6118, 23})
	turns[1].Append = append(turns[1].Append, message("user", trajectory.Piece{Text: []byte("say \"so\"")}))
	recorded := message("assistant", trajectory.Piece{Filler: &trajectory.Filler{Tokens: 70, Scope: trajectory.ScopeRun}})
	turns[1].Recorded = &recorded
	var all []byte
	s := composer(t, filler.Lengths{Mode: filler.Text, Word: 1_330_000, Overhead: filler.Overhead{Prompt: 9, Turn: 8}}).Begin(filler.Owner{Workload: "w", Trajectory: "t"}, false)
	for i := range turns {
		m := made(t, s, &turns[i])
		list := fragments(append(m.Append, m.Recorded...))
		shell, err := chat.Wire{Model: "m"}.Shell(chat.Params{}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		body := bytes.Join(shell.Body(raw(list)).Body, nil)
		if !json.Valid(body) {
			t.Errorf("turn %d is no JSON", i)
		}
		all = append(all, body...)
	}
	const want = "470cc65cd9666b5bfe91ffd5214c1befc292c84d16fec402ec9cea7d5bff85de"
	if got := digest.Of(all).String(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		mode    filler.Mode
		message trajectory.Message
	}{
		"text in ids":  {filler.Exact, message("user", trajectory.Piece{Text: []byte("x")})},
		"json in ids":  {filler.Exact, trajectory.Message{JSON: json.RawMessage(`{"role":"user"}`)}},
		"far too much": {filler.Text, filled(1<<32-1, "k", trajectory.ScopeRun)},
		"too many ids": {filler.Exact, filled(1<<24+1, "k", trajectory.ScopeRun)},
	} {
		s := composer(t, filler.Default(tt.mode)).Begin(filler.Owner{}, false)
		if _, err := s.Turn(&trajectory.Turn{Append: []trajectory.Message{tt.message}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestUncalibrated(t *testing.T) {
	found, err := filler.Calibrate(t.Context(), 1, filler.Text, true, template{silent: true})
	if err != nil || found.State != filler.Uncalibrated || found.Reason == "" {
		t.Errorf("found %+v: %v", found, err)
	}
	if _, err := filler.Calibrate(t.Context(), 1, filler.Exact, true, exact{-70}); err == nil {
		t.Error("a target that does not count ids was calibrated")
	}
	for _, wild := range []template{{prompt: 1 << 40}, {prompt: -1 << 40}} {
		if l, err := filler.Calibrate(t.Context(), 1, filler.Text, true, wild); err == nil {
			t.Errorf("a target that tells wild numbers was calibrated: %+v", l)
		}
	}
	if _, err := filler.Calibrate(t.Context(), 1, filler.Text, false, broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a target that is broken: %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Ask(context.Context, []chat.Draft) (uint64, error) { return 0, errBroken }

func (broken) Answer(context.Context, []chat.Draft, uint32) (chat.Draft, uint64, error) {
	return chat.Draft{}, 0, errBroken
}

// TestMemory: ten thousand conversations with a hundred thousand tokens of context each stay under 2 GiB. It holds some of
// them, with their histories, and counts.
func TestMemory(t *testing.T) {
	const held, all, limit = 200, 10_000, 2 << 30
	turns := agent(6500, repeat(60, 220), repeat(60, 1340))
	c := composer(t, filler.Default(filler.Text))
	warm := c.Begin(filler.Owner{}, true)
	made(t, warm, &turns[0])
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	histories := make([]*chat.History, held)
	var context int64
	for i := range histories {
		h := chat.NewHistory(chat.Keep)
		s := c.Begin(filler.Owner{Trajectory: fmt.Sprint(i)}, true)
		for k := range turns {
			m := made(t, s, &turns[k])
			if _, err := h.Append(fragments(m.Append)...); err != nil {
				t.Fatal(err)
			}
			context = m.Prompt
		}
		histories[i] = h
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (after.HeapAlloc - before.HeapAlloc) / held
	shared := uint64(4 << 20)
	t.Logf("%d tokens of context: %d bytes a conversation, %d MiB for %d", context, each, (each*all+shared)>>20, all)
	if context < 100_000 || each*all+shared > limit {
		t.Errorf("%d conversations of %d tokens take %d MiB", all, context, (each*all+shared)>>20)
	}
	runtime.KeepAlive(histories)
}

func repeat(n, v int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = v
	}
	return list
}
