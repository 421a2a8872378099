package trajectory

import (
	"iter"
	"slices"
)

// Graph tells which turns of a trajectory wait for which others, by their positions in its list.
type Graph struct {
	Waits [][]int // what each turn waits for, rising
	Then  [][]int // what waits for each turn, rising
	Fork  []int   // the turn whose history each turn's branch goes on from; -1: none, or it is not the branch's first
}

// NewGraph reads the graph of turns. A turn waits for what After says, and besides for whatever its request is made of: the
// turn before it in its branch, the turn that its branch forks from, and the turns whose answers its messages hold. Turns
// that are not there are left out; Check names them.
func NewGraph(turns []Turn) *Graph {
	g := &Graph{make([][]int, len(turns)), make([][]int, len(turns)), make([]int, len(turns))}
	place := make(map[uint32]int, len(turns))
	for i := range turns {
		if _, twice := place[turns[i].Index]; !twice {
			place[turns[i].Index] = i
		}
	}
	last := map[uint32]int{} // branch -> its latest turn
	for i := range turns {
		t := &turns[i]
		var waits []int
		add := func(turn uint32) {
			if j, known := place[turn]; known {
				waits = append(waits, j)
			}
		}
		if t.After != nil {
			for _, turn := range *t.After {
				add(turn)
			}
		}
		g.Fork[i] = -1
		if previous, begun := last[t.Branch]; begun {
			waits = append(waits, previous)
		} else if t.ForkOf != nil {
			if j, known := place[*t.ForkOf]; known {
				g.Fork[i] = j
				waits = append(waits, j)
			}
		}
		for turn := range answers(t.Append) {
			add(turn)
		}
		slices.Sort(waits)
		g.Waits[i] = slices.Compact(waits)
		for _, j := range g.Waits[i] {
			g.Then[j] = append(g.Then[j], i)
		}
		last[t.Branch] = i
	}
	return g
}

// Forked reports whether a branch goes on from turn i's history.
func (g *Graph) Forked(i int) bool {
	return slices.ContainsFunc(g.Then[i], func(j int) bool { return g.Fork[j] == i })
}

// Order lists the turns so that each stands behind all that it waits for, otherwise in their own order. Turns that wait for
// each other are left out.
func (g *Graph) Order() []int {
	open := make([]int, len(g.Waits))
	var free []int
	for i := range g.Waits {
		if open[i] = len(g.Waits[i]); open[i] == 0 {
			free = append(free, i)
		}
	}
	order := make([]int, 0, len(g.Waits))
	for k := 0; k < len(free); k++ {
		i := free[k]
		order = append(order, i)
		for _, j := range g.Then[i] {
			if open[j]--; open[j] == 0 {
				free = append(free, j)
			}
		}
	}
	return order
}

// Branches reports whether turns[from:] do anything but follow one another on the main line, so that only one of them can
// ever be in flight.
func Branches(turns []Turn, from int) bool {
	for i := from; i < len(turns); i++ {
		if turns[i].Branch != 0 || turns[i].ForkOf != nil || !inSequence(turns, i) {
			return true
		}
	}
	return false // an answer that a turn holds is of a turn before it, or Check finds a circle
}

// inSequence reports whether turn i waits for exactly the turn before it, or is the first and waits for none.
func inSequence(turns []Turn, i int) bool {
	after := turns[i].After
	switch {
	case after == nil:
		return true
	case i == 0:
		return len(*after) == 0
	}
	return len(*after) == 1 && (*after)[0] == turns[i-1].Index
}

// answers lists the turns whose answers messages hold.
func answers(list []Message) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range list {
			if list[i].Composed == nil {
				continue
			}
			for _, p := range list[i].Composed.Pieces {
				if p.AnswerOfTurn != nil && !yield(*p.AnswerOfTurn) {
					return
				}
			}
		}
	}
}

// Joints reports of each turn whether all turns listed before it must be complete when it starts, and none listed behind it can
// have started: there the work is in that turn alone.
func (g *Graph) Joints() []bool {
	n := len(g.Waits)
	joints, least := make([]bool, n), make([]int, n+1)
	least[n] = n
	for i := n - 1; i >= 0; i-- { // the first of the turns that those from i on wait for last
		last := -1
		if w := g.Waits[i]; len(w) > 0 {
			last = w[len(w)-1]
		}
		least[i] = min(least[i+1], last)
	}
	next := 0 // the last of the turns that wait first for one before i
	for i := range n {
		joints[i] = next <= i && least[i+1] >= i
		first := n
		if t := g.Then[i]; len(t) > 0 {
			first = t[0]
		}
		next = max(next, first)
	}
	return joints
}
