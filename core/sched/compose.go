package sched

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/trajectory"
)

// texts are the messages of a trajectory's turns, ready to be sent.
type texts struct {
	appends [][]json.RawMessage // what each turn adds; the first turn's in the form of the target's API
	// recorded is each turn's recorded answer; nil: the trajectory's own, which the history takes as they are.
	recorded [][]json.RawMessage
	prompts  []int64 // how many tokens each request is to have; 0, or no list: nobody says
	// translated says that all are in the form of the target's API. Where live answers join, later ones are not, since tool
	// results get the ids of the live calls.
	translated bool
}

// clip lets what is added later go into lists of its own.
func (t texts) clip() texts {
	t.appends, t.recorded, t.prompts = slices.Clip(t.appends), slices.Clip(t.recorded), slices.Clip(t.prompts)
	return t
}

// own lets messages be replaced.
func (t texts) own() texts {
	t.appends = slices.Clone(t.appends)
	return t
}

// scribe writes the messages of one trajectory's turns, one turn after another.
type scribe struct {
	api    chat.API
	exact  bool
	live   bool           // live answers join the history
	script *filler.Script // nil: no message is made by the host
}

func (r *run) scribe(m *member, t *trajectory.Trajectory, repeat uint32, host bool) *scribe {
	s := &scribe{api: r.config.Wire.API.Named(), exact: r.exact(), live: m.History == chat.Live}
	if host || s.exact {
		s.script = r.composer.Begin(r.owner(m, t.ID, repeat), s.live)
	}
	return s
}

// compose makes the messages of a plan for one pass, without salts.
func (r *run) compose(m *member, t *trajectory.Trajectory, repeat uint32) (texts, error) {
	s := r.scribe(m, t, repeat, composed(t.Turns))
	all := texts{translated: s.exact || s.api != chat.APIChat && !s.live}
	for i := range t.Turns {
		if err := s.write(&all, &t.Turns[i]); err != nil {
			return texts{}, fmt.Errorf("trajectory %q, turn %d: %w", t.ID, t.Turns[i].Index, err)
		}
	}
	return all, nil
}

// write adds the next turn.
func (s *scribe) write(all *texts, turn *trajectory.Turn) (err error) {
	now := all.translated || len(all.appends) == 0
	if s.script == nil {
		return s.plain(all, turn, now)
	}
	made, err := s.script.Turn(turn)
	if err != nil {
		return err
	}
	appends, err := s.form(made.Append, now)
	if err != nil {
		return err
	}
	recorded, err := s.form(made.Recorded, all.translated)
	all.appends, all.recorded, all.prompts = append(all.appends, appends), append(all.recorded, recorded), append(all.prompts, made.Prompt)
	return err
}

// plain adds a turn whose messages are all there.
func (s *scribe) plain(all *texts, turn *trajectory.Turn, now bool) (err error) {
	list := raws(turn.Append)
	if now {
		if list, err = s.api.Translate(list...); err != nil {
			return err
		}
	}
	all.appends = append(all.appends, list)
	if !all.translated {
		return nil
	}
	var recorded []json.RawMessage
	if turn.Recorded != nil {
		recorded, err = s.api.Translate(turn.Recorded.JSON)
	}
	all.recorded = append(all.recorded, recorded)
	return err
}

// form gives made messages the form that they join the history in. Tool results are whole where they may have to be paired
// with live calls.
func (s *scribe) form(list []filler.Message, now bool) ([]json.RawMessage, error) {
	whole := s.api != chat.APIChat || s.live && slices.ContainsFunc(list, func(m filler.Message) bool { return m.Role == "tool" })
	if s.exact || !whole {
		return filler.Fragments(list), nil
	}
	messages := make([]json.RawMessage, len(list))
	for i := range list {
		messages[i] = list[i].Whole()
	}
	if now {
		return s.api.Translate(messages...)
	}
	return messages, nil
}

// opening is what a conversation of one pass begins with, as chat messages.
func (r *run) opening(m *member, t *trajectory.Trajectory, repeat uint32) ([]json.RawMessage, error) {
	turn := &t.Turns[0]
	if !composed(t.Turns[:1]) {
		return raws(turn.Append), nil
	}
	made, err := r.scribe(m, t, repeat, true).script.Turn(turn)
	list := make([]json.RawMessage, len(made.Append))
	for i := range made.Append {
		list[i] = made.Append[i].Whole()
	}
	return list, err
}

// raws are messages as they are.
func raws(messages []trajectory.Message) []json.RawMessage {
	list := make([]json.RawMessage, len(messages))
	for i := range messages {
		list[i] = messages[i].JSON
	}
	return list
}

// composed reports whether any message of the turns is made by the host.
func composed(turns []trajectory.Turn) bool {
	for i := range turns {
		for k := range turns[i].Append {
			if turns[i].Append[k].Composed != nil {
				return true
			}
		}
		if turns[i].Recorded != nil && turns[i].Recorded.Composed != nil {
			return true
		}
	}
	return false
}

// further makes the messages of turns that a live conversation got behind its first ones.
func (c *conversation) further(all []trajectory.Turn, from int) (texts, error) {
	t := c.texts.clip()
	if c.scribe == nil || c.scribe.script == nil && composed(all[from:]) {
		c.scribe = c.run.scribe(c.member, c.plan.trajectory, c.record.Repeat, composed(all))
		if err := c.scribe.again(&t, all[:from]); err != nil {
			return t, err
		}
	}
	for i := from; i < len(all); i++ {
		if err := c.scribe.write(&t, &all[i]); err != nil {
			return t, fmt.Errorf("turn %d: %w", all[i].Index, err)
		}
	}
	return t, nil
}

// again goes through turns that were written before by another scribe.
func (s *scribe) again(all *texts, turns []trajectory.Turn) error {
	if s.script == nil {
		return nil
	}
	all.recorded, all.prompts = make([][]json.RawMessage, len(turns)), nil
	for i := range turns {
		made, err := s.script.Turn(&turns[i])
		if err != nil {
			return fmt.Errorf("turn %d: %w", turns[i].Index, err)
		}
		all.prompts = append(all.prompts, made.Prompt)
	}
	return nil
}
