package standin

import (
	"fmt"

	"paceline/mlperf/rules"
)

// Options say which stand-in is made.
type Options struct {
	Seed         uint64
	Trajectories int // fewer keep the shape and are for tests; 0: as many as the data set has
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	if o.Trajectories < 0 || o.Trajectories > rules.Trajectories {
		return fmt.Errorf("%d trajectories: want 1 to %d", o.Trajectories, rules.Trajectories)
	}
	return nil
}

// conversation is what one conversation is like before it has words.
type conversation struct {
	id       string
	workflow bool
	clients  int  // client turns
	open     bool // it ends on a client turn
}

// depth bounds and means client turns of one conversation.
type depth struct{ least, mean, most int }

var (
	codingDepth   = depth{12, 108, 240}
	workflowDepth = depth{4, 36, 96}
)

// shape draws the conversations in the order of the file. Their turns sum up exactly: those of a whole stand-in to the data
// set's, of a smaller one to its share.
func shape(o Options) []conversation {
	r := stream(o.Seed, 0)
	n := o.Trajectories
	coding := max(share(rules.CodingTrajectories, n), 1)
	list := make([]conversation, n)
	for i := range list {
		c := &list[i]
		if c.workflow = i >= coding; c.workflow {
			c.id = fmt.Sprintf("sim_%04d", i-coding+1)
		} else {
			c.id = fmt.Sprintf("standin-coding-%03d", i+1)
		}
		c.clients = c.bounds().draw(r)
	}
	level(list, share(rules.ClientTurns, n))
	for i := range max(share(rules.ClientTurns-rules.AssistantTurns, n), 1) {
		list[i*n/(rules.ClientTurns-rules.AssistantTurns)].open = true
	}
	for i := n - 1; i > 0; i-- {
		j := r.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// share is the part of a whole stand-in's count that n trajectories have, rounded.
func share(count, n int) int { return (2*count*n + rules.Trajectories) / (2 * rules.Trajectories) }

func (c *conversation) bounds() depth {
	if c.workflow {
		return workflowDepth
	}
	return codingDepth
}

// draw is skewed: half of all depths are below the mean, evenly on each side of it.
func (d depth) draw(r *random) int {
	if r.below(100) < 60 {
		return d.least + r.below(d.mean-d.least+1)
	}
	return d.mean + r.below(d.most-d.mean+1)
}

// level adds or takes single turns, evenly, until all sum up.
func level(list []conversation, clients int) {
	missing := clients
	for _, c := range list {
		missing -= c.clients
	}
	for missing != 0 {
		before := missing
		for i := range list {
			d := list[i].bounds()
			switch {
			case missing > 0 && list[i].clients < d.most:
				list[i].clients++
				missing--
			case missing < 0 && list[i].clients > d.least:
				list[i].clients--
				missing++
			}
		}
		if missing == before { // bounds leave no room: the last one takes it all
			list[len(list)-1].clients += missing
			return
		}
	}
}
