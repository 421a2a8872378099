package sched

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/trajectory"
)

// writer makes the texts of one trajectory's turns.
type writer struct {
	trajectory.Drafter
	api   chat.API
	now   bool              // texts take the API's form when they are written
	ids   bool              // prompts are token ids
	asks  []int64           // how many tokens each request is to have; nil: nobody says
	least bool              // the turn that was made last is as short as can be, and too long
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

// translated reports whether a member's texts are in the form of the target's API before they are played. Where live answers
// join, only the openings are: what follows stays chat messages, since tool results get the ids of the live calls.
func (c *Config) translated(m *member) bool {
	return c.Wire.API.Named() != chat.APIChat && m.History == chat.Recorded
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
	w.Made[i], w.asks[i], w.least = made.Made, made.Prompt, made.Least
	return err
}

// composed reports whether any message of the turns is made by the host.
func composed(turns []trajectory.Turn) bool {
	made := func(m trajectory.Message) bool { return m.Composed != nil }
	return slices.ContainsFunc(turns, func(t trajectory.Turn) bool {
		return slices.ContainsFunc(t.Append, made) || t.Recorded != nil && made(*t.Recorded)
	})
}
