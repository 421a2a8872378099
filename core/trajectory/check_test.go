package trajectory_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/trajectory"
)

func user(text string) trajectory.Message {
	return trajectory.Message{JSON: json.RawMessage(`{"role":"user","content":"` + text + `"}`)}
}

func well() *trajectory.Trajectory {
	return &trajectory.Trajectory{
		ID: "t 1~", Labels: []trajectory.Label{{Key: "a"}, {Key: "b"}},
		Params: json.RawMessage(` {"top_p":1}`), Tools: json.RawMessage(`[]`), Truth: json.RawMessage(`3`),
		Turns: []trajectory.Turn{
			{Index: 0, Append: []trajectory.Message{user("one")}, Recorded: &trajectory.Message{JSON: json.RawMessage(`{"role":"assistant","content":null}`)}},
			{Index: 1, Append: []trajectory.Message{user("two")}, Delay: time.Second},
			{Index: 5, Append: []trajectory.Message{user("three")}},
		},
	}
}

func TestCheck(t *testing.T) {
	two, nine := uint32(2), uint32(9)
	after := func(turns ...uint32) *[]uint32 { return &turns }
	composed := func(p ...trajectory.Piece) trajectory.Message {
		return trajectory.Message{Composed: &trajectory.Composed{Role: "user", Pieces: p}}
	}
	negative := -time.Second
	tests := []struct {
		name string
		edit func(*trajectory.Trajectory)
		want string // part of the message; empty: well formed
	}{
		{"well formed", func(*trajectory.Trajectory) {}, ""},
		{"no id", func(t *trajectory.Trajectory) { t.ID = "" }, "id is empty"},
		{"control character in the id", func(t *trajectory.Trajectory) { t.ID = "a\nb" }, `byte 1 of its id "a\nb"`},
		{"non-ascii id", func(t *trajectory.Trajectory) { t.ID = "aä" }, "printable"},
		{"labels out of order", func(t *trajectory.Trajectory) { t.Labels[0].Key = "c" }, "not sorted"},
		{"label twice", func(t *trajectory.Trajectory) { t.Labels[0].Key = "b" }, `label "b" occurs twice`},
		{"params no object", func(t *trajectory.Trajectory) { t.Params = json.RawMessage(`[]`) }, "params: a JSON object"},
		{"tools no array", func(t *trajectory.Trajectory) { t.Tools = json.RawMessage(`{}`) }, "tools: a JSON array"},
		{"tools no json", func(t *trajectory.Trajectory) { t.Tools = json.RawMessage(`[`) }, "tools: not well-formed"},
		{"empty truth", func(t *trajectory.Trajectory) { t.Truth = json.RawMessage{} }, "truth: not well-formed"},
		{"start offset", func(t *trajectory.Trajectory) { t.StartOffset = &negative }, "start offset"},
		{"no turns", func(t *trajectory.Trajectory) { t.Turns = nil }, "no turns"},
		{"index twice", func(t *trajectory.Trajectory) { t.Turns[2].Index = 1 }, "turns 1 and 2 of its list have the same index 1"},
		{"delay", func(t *trajectory.Trajectory) { t.Turns[1].Delay = -1 }, "turn 1: its delay"},
		{"turn params", func(t *trajectory.Trajectory) { t.Turns[1].Params = json.RawMessage(`1`) }, "turn 1: params"},
		{"message of no kind", func(t *trajectory.Trajectory) { t.Turns[0].Append[0].JSON = nil }, "message 0: exactly one"},
		{"message no object", func(t *trajectory.Trajectory) { t.Turns[0].Append[0].JSON = json.RawMessage(`"x"`) }, "no chat message"},
		{"message without role", func(t *trajectory.Trajectory) { t.Turns[0].Append[0].JSON = json.RawMessage(`{}`) }, "no role"},
		{"recorded of no kind", func(t *trajectory.Trajectory) { t.Turns[0].Recorded.JSON = nil }, "recorded answer: exactly one"},
		{"waits for itself", func(t *trajectory.Trajectory) { t.Turns[1].After = after(1) }, "waits for turn 1"},
		{"waits for nothing that is", func(t *trajectory.Trajectory) { t.Turns[1].After = after(0, 7) }, "waits for turn 7"},
		{"circle", func(t *trajectory.Trajectory) { t.Turns[0].After = after(5) }, "3 turns wait for each other"},
		{"forks from itself", func(t *trajectory.Trajectory) { t.Turns[0].ForkOf = &two }, "forks from turn 2"},
		{"forks later", func(t *trajectory.Trajectory) { t.Turns[1].ForkOf = new(uint32) }, "only the first turn"},
		{"piece of no kind", func(t *trajectory.Trajectory) { t.Turns[0].Append[0] = composed(trajectory.Piece{}) }, "piece 0: exactly one"},
		{"filler without scope", func(t *trajectory.Trajectory) {
			t.Turns[0].Append[0] = composed(trajectory.Piece{Filler: &trajectory.Filler{}})
		}, "scope"},
		{"answer of no turn", func(t *trajectory.Trajectory) {
			t.Turns[0].Append[0] = composed(trajectory.Piece{AnswerOfTurn: &nine})
		}, "no turn 9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := well()
			tt.edit(tr)
			err := tr.Check()
			if tt.want == "" && err != nil {
				t.Fatal(err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Check = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestCheckListsEveryFaultUpToALimit(t *testing.T) {
	tr := well()
	tr.Turns[0].Delay, tr.Turns[2].Delay = -1, -1
	if n := strings.Count(tr.Check().Error(), "delay"); n != 2 {
		t.Errorf("%d faults told, want 2", n)
	}
	tr.Turns = make([]trajectory.Turn, 1000)
	for i := range tr.Turns {
		tr.Turns[i] = trajectory.Turn{Index: uint32(i), Delay: -1}
	}
	if s := tr.Check().Error(); !strings.HasSuffix(s, "and 980 more faults") {
		t.Errorf("the list ends %q", s[len(s)-40:])
	}
}

func TestCheckTurnsLooksAtNewOnes(t *testing.T) {
	tr := well()
	tr.Turns[0].Delay = -1
	if err := trajectory.CheckTurns(tr.ID, tr.Turns, 1); err != nil {
		t.Error(err)
	}
	if err := trajectory.CheckTurns(tr.ID, append(tr.Turns, trajectory.Turn{Index: 5}), 3); err == nil {
		t.Error("a new turn with the index of an old one is accepted")
	}
}

func TestUnplayable(t *testing.T) {
	if got := well().Unplayable(); got != nil {
		t.Fatalf("Unplayable = %v", got)
	}
	none, first := []uint32{}, []uint32{0}
	tr := well()
	tr.Turns[0].After, tr.Turns[1].After = &none, &first
	if got := tr.Unplayable(); got != nil {
		t.Fatalf("the plain sequence, written out: Unplayable = %v", got)
	}
	zero := uint32(0)
	tr.Turns[2].Branch, tr.Turns[2].ForkOf = 1, &zero
	tr.Turns[2].Append = []trajectory.Message{{Composed: &trajectory.Composed{Role: "user", Pieces: []trajectory.Piece{
		{Filler: &trajectory.Filler{}}, {AnswerOfTurn: &zero}, {Filler: &trajectory.Filler{}},
	}}}}
	tr.Turns[2].Recorded = &trajectory.Message{Composed: &trajectory.Composed{Role: "assistant", Pieces: []trajectory.Piece{{AnswerOfTurn: &zero}}}}
	got := tr.Unplayable()
	want := []trajectory.Feature{
		{Name: trajectory.FeatureAnswerOfTurn, Turn: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err := (&trajectory.UnplayableError{Trajectory: "t", Features: got}).Error()
	if want := `trajectory "t" asks for what this runner does not play yet: answer_of_turn (turn 5)`; err != want {
		t.Errorf("message %q, want %q", err, want)
	}
}

func TestSize(t *testing.T) {
	if n := well().Size(); n < 120 || n > 200 {
		t.Errorf("Size = %d", n)
	}
}
