package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"paceline/core/chat"
)

var errNoFiller = errors.New("it has filler, and nothing tells how this run made it")

// Drafts returns messages as chat puts them together. None may ask for filler.
func Drafts(list []Message) ([]chat.Draft, error) {
	drafts := make([]chat.Draft, len(list))
	for i := range list {
		var err error
		if drafts[i], err = list[i].draft(); err != nil {
			return nil, err
		}
	}
	return drafts, nil
}

func (m *Message) draft() (chat.Draft, error) {
	if m.Composed == nil {
		return chat.Draft{JSON: m.JSON}, nil
	}
	c := m.Composed
	d := chat.Draft{Role: c.Role, ToolCallID: c.ToolCallID, Pieces: make([]chat.Piece, len(c.Pieces))}
	for i := range c.Pieces {
		var err error
		if d.Pieces[i], err = c.Pieces[i].chat(); err != nil {
			return chat.Draft{}, err
		}
	}
	return d, nil
}

func (p *Piece) chat() (chat.Piece, error) {
	switch {
	case p.AnswerOfTurn != nil:
		return chat.Piece{AnswerOf: p.AnswerOfTurn}, nil
	case p.Filler != nil:
		return chat.Piece{}, errNoFiller
	}
	return chat.Piece{Inside: chat.AppendEscaped(nil, string(p.Text))}, nil
}

// Made are the messages of one turn, made.
type Made struct {
	Append   []chat.Draft
	Recorded []chat.Draft // the recorded answer; none where there is none
}

// Drafter makes the messages of a conversation's turns by the rules of its run.
type Drafter struct {
	Turns   []Turn
	History chat.HistoryRule
	Results chat.ToolResults
	Made    []Made // what was made of the turns elsewhere, filler among it; nil: they are taken as they are

	place map[uint32]int // position of each turn; made when it is first needed
}

// Append returns what turn i adds before its request. By recorded history the answers that its messages hold are in their
// places; by live history they are holes.
func (d *Drafter) Append(i int) ([]chat.Draft, error) {
	drafts, err := d.appended(i)
	if err == nil && d.History == chat.Recorded {
		drafts, err = d.resolve(drafts)
	}
	if err == nil && d.Results == chat.Merged {
		return chat.MergeResults(drafts)
	}
	return drafts, err
}

func (d *Drafter) appended(i int) ([]chat.Draft, error) {
	if d.Made == nil {
		return Drafts(d.Turns[i].Append)
	}
	drafts := slices.Clone(d.Made[i].Append)
	for k := range drafts {
		drafts[k].Pieces = slices.Clone(drafts[k].Pieces)
	}
	return drafts, nil
}

func (d *Drafter) recorded(i int) ([]chat.Draft, error) {
	if d.Made != nil {
		return d.Made[i].Recorded, nil
	}
	return Drafts([]Message{*d.Turns[i].Recorded})
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
	drafts, err := d.recorded(i)
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
func (d *Drafter) resolve(drafts []chat.Draft) ([]chat.Draft, error) {
	list := make([]chat.Draft, 0, len(drafts))
	for i := range drafts {
		if turn := drafts[i].Answer; turn != nil {
			ids, err := d.recordedOf(*turn)
			if err != nil {
				return nil, err
			}
			list = append(list, ids...)
			continue
		}
		list = append(list, drafts[i])
		pieces := drafts[i].Pieces
		for k := range pieces {
			if pieces[k].AnswerOf == nil {
				continue
			}
			inside, err := d.answer(*pieces[k].AnswerOf)
			if err != nil {
				return nil, err
			}
			pieces[k] = chat.Piece{Inside: inside}
		}
	}
	return list, nil
}

// answer is the text of a recorded answer.
func (d *Drafter) answer(turn uint32) ([]byte, error) {
	drafts, err := d.recordedOf(turn)
	if err != nil || len(drafts) == 0 {
		return nil, err
	}
	return drafts[0].Text(chat.Keep), nil
}

// recordedOf finds the recorded answer of a turn that a message holds.
func (d *Drafter) recordedOf(turn uint32) ([]chat.Draft, error) {
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
	return d.recorded(i)
}
