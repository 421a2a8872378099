package sched

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/trajectory"
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
		h.Begin(t.appends...)
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

// opening is a turn that begins a history of its own, so that its messages may carry a salt.
type opening struct {
	turn   int // its position
	drafts []chat.Draft
}

// writer makes the texts of one trajectory's turns.
type writer struct {
	trajectory.Drafter
	api   chat.API
	now   bool              // texts take the API's form when they are written
	ids   bool              // prompts are token ids
	asks  []int64           // how many tokens each request is to have; nil: nobody says
	whole []json.RawMessage // recorded answers that are sent as they are
}

func (r *run) writer(m *member, turns []trajectory.Turn) writer {
	w := writer{
		Drafter: trajectory.Drafter{Turns: turns, History: m.History, Results: r.config.ToolResults},
		api:     r.config.Wire.API.Named(), now: r.config.translated(m), ids: r.exact(),
	}
	if w.ids {
		w.Results = chat.Apart
	}
	return w
}

// write writes the texts of a plan for one pass, without salts.
func (r *run) write(m *member, p *plan, repeat uint32) ([]text, []opening, error) {
	turns := p.trajectory.Turns
	w := r.writer(m, turns)
	fail := func(i int, err error) ([]text, []opening, error) {
		return nil, nil, fmt.Errorf("trajectory %q, turn %d: %w", p.trajectory.ID, turns[i].Index, err)
	}
	if w.ids || composed(turns) {
		script := r.composer.Begin(r.owner(m, p.trajectory.ID, repeat), m.History == chat.Live)
		if i, err := w.make(script, p.graph); err != nil {
			return fail(i, err)
		}
	}
	texts := make([]text, len(turns))
	var list []opening
	begin := openings(turns, 0)
	for i := range turns {
		var err error
		texts[i], err = w.text(i)
		if err == nil && len(begin) > 0 && begin[0] == i {
			begin = begin[1:]
			var drafts []chat.Draft
			drafts, err = w.open(&texts[i], i)
			list = append(list, opening{i, drafts})
		}
		if err != nil {
			return fail(i, err)
		}
	}
	return texts, list, nil
}

// open readies the text of a turn that begins a history, and returns its messages.
func (w *writer) open(t *text, i int) ([]chat.Draft, error) {
	drafts, err := w.Append(i)
	if err == nil && !t.ready {
		err = w.translate(t)
	}
	return drafts, err
}

// make has a script make all turns, each behind those that it goes on from. Where that fails it says at which.
func (w *writer) make(s *filler.Script, g *trajectory.Graph) (at int, err error) {
	w.Made, w.asks = make([]trajectory.Made, len(w.Turns)), make([]int64, len(w.Turns))
	if g != nil {
		for _, i := range g.Order() {
			if err := w.turn(s, i); err != nil {
				return i, err
			}
		}
		return 0, nil
	}
	for i := range w.Turns {
		if err := w.turn(s, i); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// turn has a script make one turn.
func (w *writer) turn(s *filler.Script, i int) error {
	made, err := s.Turn(&w.Turns[i])
	w.Made[i], w.asks[i] = made.Made, made.Prompt
	return err
}

// translated reports whether a member's texts are in the form of the target's API before they are played. Where live answers
// join, only the openings are: what follows stays chat messages, since tool results get the ids of the live calls.
func (c *Config) translated(m *member) bool {
	return c.Wire.API.Named() != chat.APIChat && m.History == chat.Recorded
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

// composed reports whether any message of the turns is made by the host.
func composed(turns []trajectory.Turn) bool {
	made := func(m trajectory.Message) bool { return m.Composed != nil }
	return slices.ContainsFunc(turns, func(t trajectory.Turn) bool {
		return slices.ContainsFunc(t.Append, made) || t.Recorded != nil && made(*t.Recorded)
	})
}

// openings lists those of the turns from a place on that begin a history of their own: the first of a branch, and no fork.
func openings(turns []trajectory.Turn, from int) []int {
	var list []int
	begun := map[uint32]bool{}
	for i := range turns {
		if i >= from && !begun[turns[i].Branch] && turns[i].ForkOf == nil {
			list = append(list, i)
		}
		begun[turns[i].Branch] = true
	}
	return list
}

// salted returns what the plan's turns say in a pass, and its openings with the salt of the pass; nil where nothing is salted.
func (r *run) salted(m *member, p *plan, repeat uint32) (texts, openings []text, err error) {
	texts = p.texts
	if r.salter.Scheme().Template == "" {
		return texts, nil, nil
	}
	list := p.openings
	if turns := p.trajectory.Turns; repeat > 0 && composed(turns) {
		if texts, list, err = r.write(m, p, repeat); err != nil {
			return nil, nil, err
		}
	}
	if r.exact() {
		return texts, nil, nil
	}
	openings = make([]text, len(list))
	for i, o := range list {
		openings[i] = texts[o.turn]
		turns := p.trajectory.Turns[o.turn:]
		if filler.OwnSalt(turns) {
			continue
		}
		if err := r.salt(&openings[i], o.drafts, m.id(p.trajectory.ID), &turns[0], repeat); err != nil {
			return nil, nil, err
		}
	}
	return texts, openings, nil
}

func (r *run) salt(t *text, drafts []chat.Draft, id string, turn *trajectory.Turn, repeat uint32) (err error) {
	if api := r.config.Wire.API; api.Named() == chat.APIChat || len(t.holes) > 0 {
		t.appends, t.holes, err = r.salter.Fragments(drafts, id, repeat)
	} else {
		t.appends, err = r.salter.FragmentsIn(api, drafts, id, repeat)
		t.ready = true
	}
	if err != nil && turn.Branch != 0 {
		return fmt.Errorf("branch %d: %w", turn.Branch, err)
	}
	return err
}
