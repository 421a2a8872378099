package claudecode

import (
	"slices"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// node is one line as a link of its chain.
type node struct {
	parent *node
	client []sdk.Message
	time   int64
	call   int // of an assistant line; -1: none
	first  bool
}

// builder follows the chains of one session.
type builder struct {
	nodes   map[string]*node // by uuid
	calls   map[string]int   // by message id
	replies map[int][]*node  // by call, the lines of the client right behind one of its lines
	list    []history.Call
	answers []history.Answer
}

func (b *builder) line(r *frame.Record) {
	l := parse(r.Value)
	if l.uuid != "" && b.nodes[l.uuid] != nil {
		return // a line that is there twice
	}
	n := &node{parent: b.nodes[l.parent], time: l.time, call: -1}
	switch {
	case l.boundary:
		n.parent = nil
	case l.kind == "user" && !l.hidden:
		n.client = client(l.message.Get("content"))
		if n.parent != nil && n.parent.call >= 0 {
			b.replies[n.parent.call] = append(b.replies[n.parent.call], n)
		}
	case l.kind == "assistant" && !l.synthetic && !l.hidden:
		b.answer(n, &l)
	}
	if l.uuid != "" {
		b.nodes[l.uuid] = n
	}
}

// answer puts an assistant line into its call, which begins with the first of its lines.
func (b *builder) answer(n *node, l *line) {
	id, _ := l.message.Get("id").Text()
	at, known := b.calls[id]
	if !known || id == "" {
		at = len(b.list)
		n.first = true
		b.calls[id] = at
		c := history.Call{Linked: true, Start: frame.NoTime, End: frame.NoTime}
		c.Parent, c.Input, c.Start = b.before(n)
		b.list, b.answers = append(b.list, c), append(b.answers, history.Answer{})
	}
	n.call = at
	c := &b.list[at]
	b.answers[at].Add(answer(l.message.Get("content")))
	c.Usage = history.ReadUsage(l.message.Get("usage"))
	c.End = max(c.End, l.time)
	if c.Start == frame.NoTime {
		c.Start = l.time
	}
}

// before gives what leads to a call: the call before it on its chain, the messages since, and when the last of them was there.
func (b *builder) before(n *node) (parent int, messages []sdk.Message, start int64) {
	start = frame.NoTime
	var lists []*node
	last := -1 // the call whose lines are being passed
	for n = n.parent; n != nil; n = n.parent {
		if n.call >= 0 && last >= 0 && n.call != last {
			break
		}
		if n.call >= 0 {
			last = n.call
			if n.first {
				break
			}
			continue
		}
		if n.client != nil {
			lists = append(lists, n)
			start = max(start, n.time)
		}
	}
	if last >= 0 && len(lists) > 0 {
		messages, start = b.beside(last, lists, start)
	}
	for _, n := range slices.Backward(lists) {
		messages = append(messages, n.client...)
	}
	if last >= 0 && start == frame.NoTime {
		start = b.list[last].End
	}
	return last, messages, start
}

// beside gives the results of a call's tools that are not on the chain of the next request: each result of parallel tools
// hangs on the line with its own use, and the request on one of them only. start is when the last of all was there.
func (b *builder) beside(call int, chain []*node, start int64) ([]sdk.Message, int64) {
	answered := map[string]bool{}
	for _, n := range chain {
		for i := range n.client {
			answered[callOf(&n.client[i])] = true
		}
	}
	var out []sdk.Message
	for _, n := range b.replies[call] {
		for i := range n.client {
			if id := callOf(&n.client[i]); id != "" && !answered[id] {
				answered[id] = true
				out = append(out, n.client[i])
				start = max(start, n.time)
			}
		}
	}
	return out, start
}

// callOf is the id of the call whose result a message is; empty: it is none.
func callOf(m *sdk.Message) string {
	id, _ := rawjson.Value(m.Json).Get("tool_call_id").Text()
	return id
}
