package sched

import (
	"context"
	"fmt"
	"slices"

	"paceline/core/sample"
	"paceline/core/trajectory"
)

// ContextError refuses a trajectory that has a turn beyond the longest context.
type ContextError struct {
	Turn           uint32
	Prompt, Output int64
	Most           int64
}

// Error implements error.
func (e *ContextError) Error() string {
	return fmt.Sprintf("turn %d needs a context of %d tokens, %d for its prompt and %d for its answer, and the longest is %d", e.Turn, e.Prompt+e.Output, e.Prompt, e.Output, e.Most)
}

// fit settles what becomes of a plan with a turn beyond the longest context.
func (r *run) fit(ctx context.Context, m *member, p *plan) error {
	c := &r.config.Reach
	x := r.extent(ctx, m, p)
	p.longest = x.longest()
	p.by = x.by
	at := x.beyond(c.MaxContext)
	if at < 0 {
		return nil
	}
	turn := p.trajectory.Turns[at].Index
	p.over = &sample.Skipped{Turn: turn, Tokens: x.prompt[at] + x.output[at]}
	switch c.Over {
	case Fail:
		return &ContextError{Turn: turn, Prompt: x.prompt[at], Output: x.output[at], Most: c.MaxContext}
	case End:
		p.cut(at)
	case Truncate:
		if p.graph == nil {
			p.left, p.leftTokens = x.trim(c.MaxContext)
		}
		if x.by != ByPlan { // then nothing is set right by them
			p.leftTokens = nil
		}
		if p.left == nil {
			p.skipped = p.over
		}
	default:
		p.skipped = p.over
	}
	return nil
}

// cut ends a plan before the turn at a position, and before what would wait for that one or for others behind it.
func (p *plan) cut(at int) {
	turns := p.trajectory.Turns
	if p.graph != nil {
		for ; at > 0; at-- {
			if !slices.ContainsFunc(p.graph.Waits[:at], func(w []int) bool { return len(w) > 0 && w[len(w)-1] >= at }) {
				break
			}
		}
		if p.graph = nil; trajectory.Branches(turns[:at], 0) {
			p.graph = trajectory.NewGraph(turns[:at])
		}
	}
	if p.to = at; at == 0 {
		p.skipped = p.over
	}
}

// leftOut is how many tokens of older turns the request of a turn leaves out.
func (p *plan) leftOut(i int) int64 {
	if i >= len(p.leftTokens) {
		return 0
	}
	return p.leftTokens[i]
}

// longest is the most tokens that any turn needs.
func (x *extent) longest() int64 {
	var most int64
	for i := range x.prompt {
		most = max(most, x.prompt[i]+x.output[i])
	}
	return most
}

// beyond is the position of the first turn that needs more than so many tokens; below 0: none does.
func (x *extent) beyond(most int64) int {
	for i := range x.prompt {
		if x.prompt[i]+x.output[i] > most {
			return i
		}
	}
	return -1
}

// trim says how many of the first turns each request of a plain sequence leaves out: their answers, and what the client
// appended after each. What the first turn says stays, and so does the newest answer with what follows it; so calls keep
// their results, and roles their order. A history that has become too long is cut to half of the longest context at once, as
// agents do it, so that the target's cache is of use again until the next time. The sums of what is left out come beside. nil:
// it cannot be made to fit.
func (x *extent) trim(most int64) (left []int, tokens []int64) {
	left, tokens = make([]int, len(x.prompt)), make([]int64, len(x.prompt))
	d := 0
	need := func(i int) int64 { return x.prompt[i] - (x.prompt[d] - x.prompt[0]) + x.output[i] }
	for i := range x.prompt {
		if need(i) > most {
			for d < i-1 && need(i) > most/2 {
				d++
			}
		}
		if need(i) > most {
			return nil, nil
		}
		left[i], tokens[i] = d, x.prompt[d]-x.prompt[0]
	}
	return left, tokens
}
