package trajectory

import (
	"errors"

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
