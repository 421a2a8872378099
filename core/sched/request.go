package sched

import (
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/sample"
)

// request lets turn i's messages join a history and makes its request; s is the turn's.
func (c *conversation) request(i int, h *chat.History, s *sample.Sample) (*chat.Request, chat.Pairing, *breakOff) {
	var req *chat.Request
	var pairing chat.Pairing
	err := c.follow(i, s)
	if err == nil {
		pairing, err = c.text(i).join(h, c.inside)
	}
	if err == nil {
		c.trim(i, h)
		req, err = c.body(i, h)
	}
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", c.turns[i].Index, err)
		return nil, pairing, &breakOff{from: i, cause: sample.CausePlugin, state: sample.Broken, why: why}
	}
	req.Headers = c.headers
	return req, pairing, nil
}

// body puts a history so far into the body of turn i.
func (c *conversation) body(i int, h *chat.History) (*chat.Request, error) {
	if c.run.exact() {
		return c.shells[i].Tokens(h.Messages())
	}
	return c.shells[i].Body(h.Messages()), nil
}

// text is what turn i says.
func (c *conversation) text(i int) *text {
	if c.salted != nil {
		if k, found := c.opening(i); found {
			return &c.salted[k]
		}
	}
	return &c.texts[i]
}

// opening finds turn i among the plan's openings.
func (c *conversation) opening(i int) (at int, found bool) {
	return slices.BinarySearchFunc(c.plan.openings, i, func(o opening, i int) int { return o.turn - i })
}

// inside is the text of a live answer that a message holds, or its token ids.
func (c *conversation) inside(turn uint32) []byte {
	if c.run.exact() {
		return c.answers[turn]
	}
	return chat.AnswerInside(c.answers[turn], c.run.config.Thinking)
}
