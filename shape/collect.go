package shape

import (
	"encoding/json"
	"time"

	"paceline/core/trajectory"
)

// positions is how many turns from the start of a trajectory are told apart; later ones count with the last.
const positions = 48

// Collector takes the trajectories of one data set.
type Collector struct {
	trajectories, branches, answers   int64
	turns                             tally // of a trajectory
	prompt, promptBytes, answer, wait tally // of a turn
	grows                             [positions]struct{ prompt, bytes, wait tally }
	tree                              tree
	found                             [3]int64 // weight of prompts by source
	starts                            int64
	span                              time.Duration
}

// NewCollector makes an empty one.
func NewCollector() *Collector { return &Collector{tree: tree{last: map[uint64]uint32{}}} }

// Add counts a trajectory.
func (c *Collector) Add(t *trajectory.Trajectory) {
	c.trajectories++
	c.turns.add(int64(len(t.Turns)))
	if t.StartOffset != nil {
		c.starts++
		c.span = max(c.span, *t.StartOffset)
	}
	w := walk{tree: &c.tree, number: uint32(c.trajectories), trajectory: t, found: &c.found}
	p := player{walk: &w, branches: map[uint32]*branch{}, after: map[uint32]history{}}
	for i := range t.Turns {
		c.turn(&p, &t.Turns[i])
	}
	c.branches += int64(max(len(p.branches)-1, 0))
}

// player follows the branches of one trajectory.
type player struct {
	walk     *walk
	branches map[uint32]*branch
	after    map[uint32]history // turn -> history with its answer
}

type branch struct {
	history history
	turns   int
}

// branch gives the branch of a turn, which begins at a fork, or empty but for the tools.
func (p *player) branch(t *trajectory.Turn) *branch {
	b := p.branches[t.Branch]
	if b != nil {
		return b
	}
	b = &branch{}
	p.branches[t.Branch] = b
	if t.ForkOf != nil {
		b.history = p.after[*t.ForkOf]
	}
	return b
}

func (c *Collector) turn(p *player, t *trajectory.Turn) {
	b := p.branch(t)
	if first := b.turns == 0 && t.ForkOf == nil; first {
		p.walk.text(&b.history, p.walk.trajectory.Tools)
	} else {
		c.found[own] += b.history.size.weight()
	}
	for i := range t.Append {
		p.walk.message(&b.history, &t.Append[i])
	}
	prompt := b.history.size
	answer := size{}
	if t.Recorded != nil {
		c.answers++
		before := *p.walk.found
		p.walk.message(&b.history, t.Recorded)
		*p.walk.found = before // the answer is no part of a prompt yet
		answer = size{b.history.size.text - prompt.text, b.history.size.filler - prompt.filler}
	}
	p.after[t.Index] = b.history
	c.count(t, min(b.turns, positions-1), prompt, answer)
	b.turns++
}

// count counts what a turn tells.
func (c *Collector) count(t *trajectory.Turn, position int, prompt, answer size) {
	g := &c.grows[position]
	input, output := told(t.Truth)
	if input < 0 && prompt.text == 0 {
		input = prompt.filler
	}
	if output < 0 {
		switch {
		case t.ExactTokens > 0:
			output = int64(t.ExactTokens)
		case t.Recorded != nil && answer.text == 0:
			output = answer.filler
		}
	}
	if input >= 0 {
		c.prompt.add(input)
		g.prompt.add(input)
	}
	if output >= 0 {
		c.answer.add(output)
	}
	if prompt.text > 0 {
		c.promptBytes.add(prompt.text)
	}
	g.bytes.add(prompt.text)
	if wait := t.Delay.Microseconds(); position > 0 || wait > 0 {
		c.wait.add(wait)
		g.wait.add(wait)
	}
}

// told gives the token counts that importers leave in a turn's truth; -1 where there are none.
func told(truth json.RawMessage) (input, output int64) {
	var v struct {
		Usage *struct {
			Input  *int64 `json:"input_tokens"`
			Output *int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	input, output = -1, -1
	if len(truth) == 0 || json.Unmarshal(truth, &v) != nil || v.Usage == nil {
		return input, output
	}
	if v.Usage.Input != nil {
		input = *v.Usage.Input
	}
	if v.Usage.Output != nil {
		output = *v.Usage.Output
	}
	return input, output
}
