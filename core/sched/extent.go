package sched

import (
	"context"
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/trajectory"
)

// How lengths of contexts are known.
const (
	ByPlan     = "planned"   // the trajectory says them
	ByCounter  = "counted"   // by a counter of the run
	ByEstimate = "estimated" // a token for every four bytes
)

// EstimateRule tells what ByEstimate does.
const EstimateRule = "a token for every 4 bytes of messages and tools as they are sent"

// bytesPerToken is what a token of code and English is taken for.
const bytesPerToken = 4

// Sizer tells how many tokens texts have. It is asked where trajectories are planned, ahead of need and from several goroutines.
type Sizer interface {
	// Sizes tells the tokens of each list of messages, by itself; false where it cannot.
	Sizes(ctx context.Context, workload string, lists [][]json.RawMessage) ([]int64, bool)
}

// extent is how long a trajectory's requests are, in tokens, by position.
type extent struct {
	prompt []int64
	output []int64 // the most that the answer may have
	by     string
}

// extent measures the turns of a plan whose texts are written.
func (r *run) extent(ctx context.Context, m *member, p *plan) extent {
	turns := p.trajectory.Turns
	x := extent{prompt: make([]int64, len(turns)), output: make([]int64, len(turns)), by: ByPlan}
	for i := range turns {
		x.prompt[i], x.output[i] = p.texts[i].prompt, int64(m.limit(&r.config, &turns[i]))
		if x.prompt[i] == 0 {
			x.by = ByEstimate
		}
	}
	if x.by == ByEstimate {
		r.size(ctx, m, p, &x)
	}
	return x
}

// size measures texts: what each turn appends, and its answer.
func (r *run) size(ctx context.Context, m *member, p *plan, x *extent) {
	turns := p.trajectory.Turns
	said, answered := r.sizes(ctx, m, p, x)
	tools := p.trajectory.Tools
	if tools == nil {
		tools = m.Info.Tools
	}
	fixed := tokensOf(int64(len(tools)))
	after := make([]int64, len(turns)) // the history behind a turn's answer
	last := map[uint32]int64{}
	place := map[uint32]int{}
	for _, i := range p.order() {
		t := &turns[i]
		place[t.Index] = i
		before, begun := last[t.Branch]
		if !begun && t.ForkOf != nil {
			before = after[place[*t.ForkOf]]
		}
		for _, h := range p.texts[i].holes {
			said[i] += answered[place[h.Turn]]
		}
		x.prompt[i] = before + said[i] + fixed
		after[i] = before + said[i] + answered[i]
		last[t.Branch] = after[i]
		if x.output[i] == 0 {
			x.output[i] = answered[i]
		}
	}
}

// sizes are the tokens of what turns append and of what their answers bring into the history. An answer of the target that is
// not recorded is taken for as long as it may get.
func (r *run) sizes(ctx context.Context, m *member, p *plan, x *extent) (said, answered []int64) {
	turns := p.trajectory.Turns
	lists := make([][]json.RawMessage, 0, 2*len(turns))
	for i := range turns {
		lists = append(lists, p.texts[i].appends, p.texts[i].recorded)
	}
	sizes := r.counted(ctx, m, lists)
	if sizes == nil {
		sizes = estimates(lists)
	} else {
		x.by = ByCounter
	}
	said, answered = make([]int64, len(turns)), make([]int64, len(turns))
	for i := range turns {
		said[i], answered[i] = sizes[2*i], sizes[2*i+1]
		if answered[i] == 0 && m.History == chat.Live {
			if answered[i] = int64(trajectory.AnswerLength(&turns[i])); answered[i] == 0 {
				answered[i] = x.output[i]
			}
		}
	}
	return said, answered
}

func (r *run) counted(ctx context.Context, m *member, lists [][]json.RawMessage) []int64 {
	if r.config.Reach.Sizer == nil {
		return nil
	}
	sizes, ok := r.config.Reach.Sizer.Sizes(ctx, m.Workload, lists)
	if !ok || len(sizes) != len(lists) {
		return nil
	}
	return sizes
}

func estimates(lists [][]json.RawMessage) []int64 {
	sizes := make([]int64, len(lists))
	for i, list := range lists {
		var n int64
		for _, fragment := range list {
			n += int64(len(fragment))
		}
		sizes[i] = tokensOf(n)
	}
	return sizes
}

func tokensOf(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }

// order lists the turns so that each stands behind all that it goes on from.
func (p *plan) order() []int {
	if p.graph != nil {
		return p.graph.Order()
	}
	list := make([]int, len(p.trajectory.Turns))
	for i := range list {
		list[i] = i
	}
	return list
}

// unanswered is the first of turns whose answer nothing can stand for in a history, where the target was not asked; below 0:
// there is none.
func unanswered(m *member, turns []trajectory.Turn) int {
	for i := range turns {
		if m.History == chat.Live && trajectory.AnswerLength(&turns[i]) == 0 && !trajectory.Spoken(turns[i].Recorded) {
			return i
		}
	}
	return -1
}
