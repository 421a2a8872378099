package claudecode

import (
	"slices"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
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
	list    []history.Call
	answers []history.Answer
}

func (b *builder) line(r *frame.Record) {
	l := parse(r.Value)
	n := &node{parent: b.nodes[l.parent], time: l.time, call: -1}
	switch {
	case l.boundary:
		n.parent = nil
	case l.kind == "user" && !l.hidden:
		n.client = client(l.message.Get("content"))
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
	var lists [][]sdk.Message
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
			lists = append(lists, n.client)
			start = max(start, n.time)
		}
	}
	for _, list := range slices.Backward(lists) {
		messages = append(messages, list...)
	}
	if last >= 0 && start == frame.NoTime {
		start = b.list[last].End
	}
	return last, messages, start
}
