package chat

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Pairing counts what had to be changed so that tool results fit the calls of a live answer. The rule is by position: the
// n-th tool message after the answer belongs to the answer's n-th call.
type Pairing struct {
	Rewrites int // tool results that got the live call's id in place of the recorded one
	Filled   int // calls without a result, which got an empty one
	Moved    int // results without a call, which were sent as user messages with the same content
}

// HistoryRule says which assistant messages join the history of a conversation.
type HistoryRule string

// Rules for the history.
const (
	Recorded HistoryRule = "recorded" // the trajectory's own: identical requests for every target
	Live     HistoryRule = "live"     // the target's answers
)

// History is the messages of one conversation so far, as shared fragments: no message is encoded again once it is in. It is
// not safe for concurrent use; its fragments are.
type History struct {
	thinking Thinking
	api      API // the messages' form; empty: as they come
	list     [][]byte
	open     []string // insides of the ids of the last live answer's calls that have no result yet
	live     bool     // the last message is a live answer
	answers  int      // live answers so far
	content  bool     // assistant messages get a content where they have none
	merged   bool     // parallel calls of live answers become one
}

// NewHistory returns an empty history. The rule for thinking only touches live answers; empty means Keep.
func NewHistory(rule Thinking) *History { return &History{thinking: rule} }

// RequireContent makes every assistant message that joins from now on have a content: "" where it has none, or null. Some
// chat templates fail on a message without one, though it is well formed beside tool calls.
func (h *History) RequireContent() { h.content = true }

// MergeCalls makes one call of the parallel calls of every live answer that joins from now on; see the function of that name.
func (h *History) MergeCalls() { h.merged = true }

// Speak makes every message that joins from now on take the form that an API's requests have it in, but for those of Begin.
func (h *History) Speak(a API) { h.api = a }

// Begin adds messages, or what API.Translate made of them, as they are. No tool results of a live answer may be among them.
func (h *History) Begin(fragments ...json.RawMessage) {
	for _, f := range fragments {
		h.list = append(h.list, f)
	}
}

// join adds one chat message.
func (h *History) join(m json.RawMessage) error {
	if h.api.Named() == APIChat {
		h.list = append(h.list, m)
		return nil
	}
	fragments, err := h.api.Translate(m)
	h.Begin(fragments...)
	return err
}

// Messages returns the messages in order. The list stays valid and unchanged whatever happens to h afterwards.
func (h *History) Messages() [][]byte { return slices.Clip(h.list) }

// Len is how many fragments Messages has.
func (h *History) Len() int { return len(h.list) }

// Drop leaves out the fragments from one place up to another; both are borders of messages.
func (h *History) Drop(from, to int) {
	if to = min(to, len(h.list)); from < to {
		h.list = slices.Concat(h.list[:from], h.list[to:])
	}
}

// Fork returns a history that goes on from here by itself.
func (h *History) Fork() *History {
	f := *h
	f.list, f.open = slices.Clip(h.list), slices.Clip(h.open)
	return &f
}

// Recorded adds a recorded answer as it is; it may come in pieces, see Fragments.
func (h *History) Recorded(message ...json.RawMessage) error {
	h.live, h.open = false, nil
	if h.api.Named() != APIChat {
		message = Joined(message)
	}
	if len(message) == 1 && h.content {
		return h.join(withContent(message[0]))
	}
	for _, m := range message {
		if err := h.join(m); err != nil {
			return err
		}
	}
	return nil
}

// Append adds what the client appends before one request. After a live answer, tool results are paired with its calls. A
// message may come in pieces, see Fragments and Salter.Pieces; after a live answer only such as Fragments makes.
func (h *History) Append(messages ...json.RawMessage) (Pairing, error) {
	var p Pairing
	if h.api.Named() != APIChat {
		messages = Joined(messages)
	}
	for i, m := range messages {
		if h.live && len(m) > 0 && (i == 0 || len(messages[i-1]) > 0) {
			var err error
			if m, err = h.answer(m, i+1 < len(messages) && len(messages[i+1]) == 0, &p); err != nil {
				return p, err
			}
		}
		if err := h.join(m); err != nil {
			return p, err
		}
	}
	return p, h.fill(&p)
}

// answer pairs a message after a live answer where it is a tool result. goes says that its text goes on in other fragments.
func (h *History) answer(m json.RawMessage, goes bool, p *Pairing) (json.RawMessage, error) {
	whole := m
	if goes {
		whole = slices.Concat(m, []byte(closing))
	}
	role := ""
	list, err := members(whole)
	if err == nil {
		role, _ = text(whole, list, "role")
	}
	if role != "tool" {
		return m, h.fill(p)
	}
	whole = h.pair(whole, list, p)
	if goes {
		return whole[:len(whole)-len(closing)], nil
	}
	return whole, nil
}

// pair gives one tool result the id of the next open call.
func (h *History) pair(m json.RawMessage, list []member, p *Pairing) json.RawMessage {
	if len(h.open) == 0 {
		p.Moved++
		content := []byte(`""`)
		if c, ok := find(list, "content"); ok && string(m[c.from:c.to]) != "null" {
			content = m[c.from:c.to]
		}
		return slices.Concat([]byte(`{"role":"user","content":`), content, []byte{'}'})
	}
	id := `"` + h.open[0] + `"`
	h.open = h.open[1:]
	old, ok := find(list, "tool_call_id")
	if ok && string(m[old.from:old.to]) == id {
		return m
	}
	p.Rewrites++
	if !ok {
		at := skipSpace(m, 0) + 1
		return slices.Concat(m[:at], []byte(`"tool_call_id":`+id+`,`), m[at:])
	}
	return slices.Concat(m[:old.from], []byte(id), m[old.to:])
}

// fill ends the pairing: each call that is still open gets an empty result.
func (h *History) fill(p *Pairing) error {
	for _, id := range h.open {
		if err := h.join([]byte(`{"role":"tool","tool_call_id":"` + id + `","content":""}`)); err != nil {
			return err
		}
		p.Filled++
	}
	h.open, h.live = nil, false
	return nil
}

// Live adds a live answer as an assistant message; an empty one joins too, so that roles go on alternating. One rule makes
// it a message that servers take back: content is null where calls stand in for it and it came as null or not at all, and
// "" where nothing else came; a call without id gets one; arguments that are not JSON are wrapped, see Arguments.
func (h *History) Live(a *Answer) error {
	var message json.RawMessage
	if a != nil {
		message = a.Message
	}
	joined, ids, err := joinAnswer(message, h.thinking, h.answers+1)
	if err != nil {
		return fmt.Errorf("add live answer: %w", err)
	}
	if h.merged && len(ids) > 1 {
		if joined, err = MergeCalls(joined); err != nil {
			return fmt.Errorf("add live answer: %w", err)
		}
		ids = ids[:1]
	}
	if h.content {
		joined = withContent(joined)
	}
	if err := h.join(joined); err != nil {
		return fmt.Errorf("add live answer: %w", err)
	}
	h.answers++
	h.open, h.live = ids, true
	return nil
}
