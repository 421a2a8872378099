package trajectory_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/trajectory"
)

func holding(turns ...uint32) []trajectory.Message {
	c := &trajectory.Composed{Role: "user"}
	for _, t := range turns {
		c.Pieces = append(c.Pieces, trajectory.Piece{AnswerOfTurn: &t})
	}
	return []trajectory.Message{{Composed: c}}
}

// tangled lists its turns neither by index nor by what they wait for.
func tangled() []trajectory.Turn {
	two := uint32(20)
	return []trajectory.Turn{
		{Index: 10, Append: holding(31)},           // the main line begins with another's answer
		{Index: 20},                                // and goes on
		{Index: 40, Branch: 2, ForkOf: &two},       // from there
		{Index: 30, Branch: 1},                     // at once
		{Index: 31, Branch: 1, After: &[]uint32{}}, // an empty list does not overtake its own branch
		{Index: 41, Branch: 2, After: &[]uint32{20, 31}, Append: holding(31, 30)},
	}
}

func TestGraph(t *testing.T) {
	g := trajectory.NewGraph(tangled())
	if diff := cmp.Diff([][]int{{4}, {0}, {1}, nil, {3}, {1, 2, 3, 4}}, g.Waits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int{{1}, {2, 5}, {5}, {4, 5}, {0, 5}, nil}, g.Then); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{-1, -1, 1, -1, -1, -1}, g.Fork); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3, 4, 0, 1, 2, 5}, g.Order()); diff != "" {
		t.Error(diff)
	}
	if !g.Forked(1) || g.Forked(3) {
		t.Errorf("forked: %v %v", g.Forked(1), g.Forked(3))
	}
	tr := well()
	tr.Turns = tangled()
	if err := tr.Check(); err != nil {
		t.Error(err)
	}
}

func TestBranches(t *testing.T) {
	zero := uint32(0)
	for name, tt := range map[string]struct {
		turns []trajectory.Turn
		want  bool
	}{
		"sequence":             {[]trajectory.Turn{{Index: 0}, {Index: 1}, {Index: 2, After: &[]uint32{1}, Append: holding(0)}}, false},
		"a branch":             {[]trajectory.Turn{{Index: 0}, {Index: 1, Branch: 1}}, true},
		"a fork":               {[]trajectory.Turn{{Index: 0}, {Index: 1, ForkOf: &zero}}, true},
		"waits for two":        {[]trajectory.Turn{{Index: 0}, {Index: 1}, {Index: 2, After: &[]uint32{0, 1}}}, true},
		"waits for none":       {[]trajectory.Turn{{Index: 0, After: &[]uint32{}}, {Index: 1, After: &[]uint32{}}}, true},
		"the first waits none": {[]trajectory.Turn{{Index: 0, After: &[]uint32{}}, {Index: 1}}, false},
	} {
		if got := trajectory.Branches(tt.turns, 0); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if trajectory.Branches([]trajectory.Turn{{Branch: 1}, {Index: 1}}, 1) {
		t.Error("a turn before those that were asked about counts")
	}
}

func TestCheckOfGraphs(t *testing.T) {
	one, nine := uint32(1), uint32(9)
	many := make([]trajectory.Turn, trajectory.MaxBranches+1)
	for i := range many {
		many[i] = trajectory.Turn{Index: uint32(i), Branch: uint32(i)}
	}
	for name, tt := range map[string]struct {
		turns []trajectory.Turn
		want  string
	}{
		"holds its own answer":      {[]trajectory.Turn{{Append: holding(0)}}, "1 turns wait for each other"},
		"holds a later one's":       {[]trajectory.Turn{{Append: holding(1)}, {Index: 1}}, "2 turns wait for each other"},
		"forks from what waits":     {[]trajectory.Turn{{}, {Index: 1, After: &[]uint32{2}}, {Index: 2, Branch: 1, ForkOf: &one}}, "2 turns wait for each other"},
		"forks from nothing":        {[]trajectory.Turn{{}, {Index: 2, Branch: 1, ForkOf: &nine}}, "forks from turn 9"},
		"more branches than may be": {many, "4097 branches, 4096 are allowed"},
	} {
		tr := well()
		tr.Turns = tt.turns
		if err := tr.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
