package sched

import (
	"encoding/json"

	"paceline/core/chat"
)

// text is what one turn adds to a history, ready to be sent.
type text struct {
	appends  []json.RawMessage
	holes    []chat.Hole       // in appends: answers that come while the conversation is played
	recorded []json.RawMessage // the recorded answer; nil: none
	prompt   int64             // how many tokens the request is to have; 0: nobody says
	ready    bool              // all are in the form of the target's API, and not chat messages
}

// join lets the messages join a history, with live answers where they hold some.
func (t *text) join(h *chat.History, inside func(turn uint32) []byte) (chat.Pairing, error) {
	if t.ready {
		h.Begin(chat.Fill(t.appends, t.holes, inside)...)
		return chat.Pairing{}, nil
	}
	return h.Append(chat.Fill(t.appends, t.holes, inside)...)
}

// answer lets the recorded answer join a history, if there is one: recordings may hold two client rows in a row, e.g. a tool's
// result and then the user.
func (t *text) answer(h *chat.History) error {
	switch {
	case t.recorded == nil:
	case t.ready:
		h.Begin(t.recorded...)
	default:
		return h.Recorded(t.recorded...)
	}
	return nil
}

// text writes turn i.
func (w *writer) text(i int) (t text, err error) {
	t, err = w.plain(i)
	if w.asks != nil {
		t.prompt = w.asks[i]
	}
	switch {
	case w.ids:
		t.ready = true
	case err == nil && w.now:
		err = w.translate(&t)
	}
	return t, err
}

// translate gives a text the form of the target's API, once for all conversations. What holds live answers gets it when they
// are there.
func (w *writer) translate(t *text) (err error) {
	if w.api == chat.APIChat || w.ids || len(t.holes) > 0 {
		return nil
	}
	if t.appends, err = w.api.Translate(chat.Joined(t.appends)...); err != nil {
		return err
	}
	t.ready = true
	if t.recorded != nil && w.now {
		t.recorded, err = w.api.Translate(chat.Joined(t.recorded)...)
	}
	return err
}

// plain writes turn i as chat messages.
func (w *writer) plain(i int) (t text, err error) {
	if t.recorded, err = w.answer(i); err != nil {
		return t, err
	}
	if w.Plain(i) {
		turn := &w.Turns[i]
		t.appends = make([]json.RawMessage, len(turn.Append))
		for k := range turn.Append {
			t.appends[k] = turn.Append[k].JSON
		}
		return t, nil
	}
	drafts, err := w.Append(i)
	t.appends, t.holes = chat.Fragments(drafts)
	return t, err
}

// answer writes the recorded answer of turn i. Those that are sent as they are share one list.
func (w *writer) answer(i int) ([]json.RawMessage, error) {
	m := w.Turns[i].Recorded
	if m == nil || m.Composed != nil || w.Results == chat.Merged {
		return w.Recorded(i)
	}
	if w.whole == nil {
		w.whole = make([]json.RawMessage, 0, len(w.Turns)-i)
	}
	w.whole = append(w.whole, m.JSON)
	last := len(w.whole) - 1
	return w.whole[last : last+1 : last+1], nil
}
