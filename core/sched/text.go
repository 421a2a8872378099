package sched

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/trajectory"
)

// text is what one turn adds to a history, ready to be sent.
type text struct {
	appends  []json.RawMessage
	holes    []chat.Hole       // in appends: answers that come while the conversation is played
	recorded []json.RawMessage // the recorded answer; nil: none
}

// opening is a turn that begins a history of its own, so that its messages may carry a salt.
type opening struct {
	turn   int // its position
	drafts []chat.Draft
}

// writer makes the texts of one trajectory's turns.
type writer struct {
	member *member
	turns  []trajectory.Turn
	fill   trajectory.FillText
	place  map[uint32]int    // position of each turn; made when it is first needed
	whole  []json.RawMessage // recorded answers that need no writing
}

// text writes turn i.
func (w *writer) text(i int) (t text, err error) {
	turn := &w.turns[i]
	if t.recorded, err = w.recorded(turn.Recorded); err != nil {
		return t, err
	}
	if !slices.ContainsFunc(turn.Append, composed) {
		t.appends = make([]json.RawMessage, len(turn.Append))
		for k := range turn.Append {
			t.appends[k] = turn.Append[k].JSON
		}
		return t, nil
	}
	drafts, err := w.drafts(i)
	t.appends, t.holes = chat.Fragments(drafts)
	return t, err
}

func composed(m trajectory.Message) bool { return m.Composed != nil }

// drafts are the messages of turn i, with the answers in their places as far as they are known before the run.
func (w *writer) drafts(i int) ([]chat.Draft, error) {
	drafts, err := trajectory.Drafts(w.turns[i].Append, w.fill)
	if err == nil && w.member.History == chat.Recorded {
		err = w.resolve(drafts)
	}
	return drafts, err
}

func (w *writer) recorded(m *trajectory.Message) ([]json.RawMessage, error) {
	switch {
	case m == nil:
		return nil, nil
	case m.Composed == nil:
		if w.whole == nil {
			w.whole = make([]json.RawMessage, 0, len(w.turns))
		}
		w.whole = append(w.whole, m.JSON)
		last := len(w.whole) - 1
		return w.whole[last : last+1 : last+1], nil
	}
	drafts, err := trajectory.Drafts([]trajectory.Message{*m}, w.fill)
	if err != nil {
		return nil, err
	}
	fragments, _ := chat.Fragments(drafts)
	return fragments, nil
}

// resolve puts recorded answers where the messages ask for them: then every request is known before the run.
func (w *writer) resolve(drafts []chat.Draft) error {
	for i := range drafts {
		pieces := drafts[i].Pieces
		for k := range pieces {
			if pieces[k].AnswerOf == nil {
				continue
			}
			inside, err := w.answer(*pieces[k].AnswerOf)
			if err != nil {
				return err
			}
			pieces[k] = chat.Piece{Inside: inside}
		}
	}
	return nil
}

// answer is the text of a recorded answer.
func (w *writer) answer(turn uint32) ([]byte, error) {
	if w.place == nil {
		w.place = make(map[uint32]int, len(w.turns))
		for i := range w.turns {
			w.place[w.turns[i].Index] = i
		}
	}
	i, ok := w.place[turn]
	if !ok || w.turns[i].Recorded == nil {
		return nil, fmt.Errorf("it holds the answer of turn %d, of which none is recorded", turn)
	}
	drafts, err := trajectory.Drafts([]trajectory.Message{*w.turns[i].Recorded}, w.fill)
	if err != nil {
		return nil, err
	}
	return drafts[0].Text(chat.Keep), nil
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

// salted returns the plan's openings with the salt of a pass; nil where nothing is salted.
func (r *run) salted(m *member, p *plan, repeat uint32) ([]text, error) {
	if r.salter.Scheme().Template == "" {
		return nil, nil
	}
	list := make([]text, len(p.openings))
	for i, o := range p.openings {
		list[i] = p.texts[o.turn]
		turn := &p.trajectory.Turns[o.turn]
		if err := r.salt(&list[i], o.drafts, m.id(p.trajectory.ID), turn, repeat); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r *run) salt(t *text, drafts []chat.Draft, id string, turn *trajectory.Turn, repeat uint32) (err error) {
	t.appends, t.holes, err = r.salter.Fragments(drafts, id, repeat)
	if err != nil && turn.Branch != 0 {
		return fmt.Errorf("branch %d: %w", turn.Branch, err)
	}
	return err
}
