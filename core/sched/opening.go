package sched

import (
	"fmt"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/trajectory"
)

// opening is a turn that begins a history of its own, so that its messages may carry a salt.
type opening struct {
	turn   int // its position
	drafts []chat.Draft
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
