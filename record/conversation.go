package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"paceline/sdk"
	"paceline/workloads/import/history"
)

// conversation is what has been seen of one.
type conversation struct {
	number int
	began  time.Duration
	last   *Call
	lines  history.Linear
	first  *Request
	turn   *sdk.Turn // of the last call
	turns  int
	bytes  int64
	losses map[string]int
}

// goesOn reports whether the call's messages begin with all those of the conversation's last request.
func (c *conversation) goesOn(x *Call) bool {
	n := len(c.last.messages)
	if len(x.messages) <= n || x.Session != c.last.Session || !slices.Equal(x.messages[:n], c.last.messages) {
		return false
	}
	// What comes next is the answer as the agent keeps it, else this is another talk that begins alike.
	return role(x.Request.Messages[n]) == "assistant"
}

// begin takes the first call.
func (c *conversation) begin(x *Call) {
	c.began, c.first = x.Sent, x.Request
	c.add(x, x.Request.Messages)
}

// goOn takes a call that goes on from the last one. The history has the answer as the agent sent it back.
func (c *conversation) goOn(x *Call) {
	more := x.Request.Messages[len(c.last.messages):]
	if back := fingerprintOf(more[0]); back != fingerprintOf(c.last.Answer) {
		c.losses["answers that the agent changed before it sent them back; its version is kept"]++
	}
	c.turn.Recorded = &sdk.Message{Json: more[0]}
	c.add(x, more[1:])
}

// add makes a turn of the messages that are new, and of the answer.
func (c *conversation) add(x *Call, added []json.RawMessage) {
	for _, m := range added {
		at := int64(x.Sent)
		if role(m) == "assistant" {
			c.lines.Client(sdk.Message{Json: m}, "user", at) // a word that the agent puts into the model's mouth
			continue
		}
		c.lines.Client(sdk.Message{Json: m}, history.Kind(role(m)), at)
	}
	c.turn = c.lines.Answer(sdk.Message{Json: x.Answer}, int64(x.Done))
	c.turn.Params, c.turn.MaxTokens, c.turn.Truth = x.Request.Params, x.Request.MaxTokens, x.truth()
	if !bytes.Equal(x.Request.Tools, c.first.Tools) {
		c.losses["turns whose tools differ from those of the first turn; the first turn's are kept"]++
	}
	for _, name := range x.Request.Dropped {
		c.losses["field "+strconv.Quote(name)+" of requests"]++
	}
	for _, m := range added {
		c.bytes += int64(len(m))
	}
	c.bytes += int64(len(x.Answer))
	c.last = x
	c.turns++
}

// trajectory is the conversation in the contract's form.
func (c *conversation) trajectory() *sdk.Trajectory {
	start := uint64(c.began)
	t := &sdk.Trajectory{
		Id: "recorded-" + pad(c.number), Labels: []sdk.Label{{Key: "format", Value: "recording"}}, StartOffsetNs: &start,
		Turns: c.lines.Turns(),
	}
	if c.first.Tools != nil {
		t.Defaults = &sdk.Defaults{Tools: c.first.Tools}
	}
	return t
}

func pad(n int) string {
	s := strconv.Itoa(n)
	for len(s) < 6 {
		s = "0" + s
	}
	return s
}
