package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"

	"paceline/core/chat"
)

// FillText makes the text of a filler, as the inside of a JSON string.
type FillText func(*Filler) ([]byte, error)

var errNoFiller = errors.New("this runner makes no filler text")

// Drafts returns messages as chat puts them together. fill may be nil where no message asks for filler.
func Drafts(list []Message, fill FillText) ([]chat.Draft, error) {
	drafts := make([]chat.Draft, len(list))
	for i := range list {
		var err error
		if drafts[i], err = list[i].draft(fill); err != nil {
			return nil, err
		}
	}
	return drafts, nil
}

func (m *Message) draft(fill FillText) (chat.Draft, error) {
	if m.Composed == nil {
		return chat.Draft{JSON: m.JSON}, nil
	}
	c := m.Composed
	d := chat.Draft{Role: c.Role, ToolCallID: c.ToolCallID, Pieces: make([]chat.Piece, len(c.Pieces))}
	for i := range c.Pieces {
		var err error
		if d.Pieces[i], err = c.Pieces[i].chat(fill); err != nil {
			return chat.Draft{}, err
		}
	}
	return d, nil
}

func (p *Piece) chat(fill FillText) (chat.Piece, error) {
	switch {
	case p.AnswerOfTurn != nil:
		return chat.Piece{AnswerOf: p.AnswerOfTurn}, nil
	case p.Filler == nil:
		return chat.Piece{Inside: chat.AppendEscaped(nil, string(p.Text))}, nil
	case fill == nil:
		return chat.Piece{}, errNoFiller
	}
	inside, err := fill(p.Filler)
	return chat.Piece{Inside: inside}, err
}

// Drafter makes the messages of a conversation's turns by the rules of its run.
type Drafter struct {
	Turns   []Turn
	History chat.HistoryRule
	Results chat.ToolResults
	Fill    FillText // nil: no turn asks for filler

	place map[uint32]int // position of each turn; made when it is first needed
}

// Append returns what turn i adds before its request. By recorded history the answers that its messages hold are in their
// places; by live history they are holes.
func (d *Drafter) Append(i int) ([]chat.Draft, error) {
	drafts, err := Drafts(d.Turns[i].Append, d.Fill)
	if err == nil && d.History == chat.Recorded {
		err = d.resolve(drafts)
	}
	if err == nil && d.Results == chat.Merged {
		return chat.MergeResults(drafts)
	}
	return drafts, err
}

// Plain reports whether Append would give turn i's messages as they are.
func (d *Drafter) Plain(i int) bool {
	if d.Results == chat.Merged {
		return false
	}
	for k := range d.Turns[i].Append {
		if d.Turns[i].Append[k].Composed != nil {
			return false
		}
	}
	return true
}

// Recorded returns the recorded answer of turn i as chat.History takes it; nil where there is none.
func (d *Drafter) Recorded(i int) ([]json.RawMessage, error) {
	m := d.Turns[i].Recorded
	if m == nil {
		return nil, nil
	}
	if m.Composed == nil && d.Results != chat.Merged {
		return []json.RawMessage{m.JSON}, nil
	}
	drafts, err := Drafts([]Message{*m}, d.Fill)
	if err == nil && d.Results == chat.Merged {
		drafts, err = chat.MergeResults(drafts)
	}
	if err != nil {
		return nil, err
	}
	fragments, _ := chat.Fragments(drafts)
	return fragments, nil
}

// resolve puts recorded answers where messages ask for them.
func (d *Drafter) resolve(drafts []chat.Draft) error {
	for i := range drafts {
		pieces := drafts[i].Pieces
		for k := range pieces {
			if pieces[k].AnswerOf == nil {
				continue
			}
			inside, err := d.answer(*pieces[k].AnswerOf)
			if err != nil {
				return err
			}
			pieces[k] = chat.Piece{Inside: inside}
		}
	}
	return nil
}

// answer is the text of a recorded answer.
func (d *Drafter) answer(turn uint32) ([]byte, error) {
	if d.place == nil {
		d.place = make(map[uint32]int, len(d.Turns))
		for i := range d.Turns {
			d.place[d.Turns[i].Index] = i
		}
	}
	i, ok := d.place[turn]
	if !ok || d.Turns[i].Recorded == nil {
		return nil, fmt.Errorf("it holds the answer of turn %d, of which none is recorded", turn)
	}
	drafts, err := Drafts([]Message{*d.Turns[i].Recorded}, d.Fill)
	if err != nil {
		return nil, err
	}
	return drafts[0].Text(chat.Keep), nil
}
