package judge

import (
	"encoding/json"
	"errors"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// messages makes the messages of one conversation as the run made them. Prompts of token ids are no messages: of those a
// judge gets none, and no history.
type messages struct {
	script  *filler.Script
	follows bool
}

var errNoComposer = errors.New("it has messages that the host makes, and nothing tells how this run made them")

func (m *Material) messages(s *scene, rule chat.HistoryRule, repeat uint32) messages {
	if m.c.Composer == nil {
		return messages{}
	}
	if m.c.Salter == nil || m.c.Salter.Scheme().Template == "" {
		repeat = 0
	}
	o := filler.Owner{Workload: s.key.workload, Trajectory: s.trajectory.ID, Repeat: repeat}
	l := m.c.Composer.Lengths()
	return messages{m.c.Composer.Begin(o, rule == chat.Live), l.Follows(rule == chat.Live) && !m.c.of(s.key.workload).Info.Live}
}

// exact reports whether the run's prompts were token ids.
func (m messages) exact() bool { return m.script != nil && m.script.Exact() }

// turn makes what a turn appends, and its recorded answer; none where there is none.
func (m messages) turn(t *trajectory.Turn) (list, recorded []json.RawMessage, err error) {
	if m.script == nil {
		return plain(t)
	}
	made, err := m.script.Turn(t)
	if err != nil || m.script.Exact() {
		return nil, nil, err
	}
	return whole(made.Append), whole(made.Recorded), nil
}

// told is what the target told of a turn, by which the run set later ones right; see filler.Script.Told.
func (m messages) told(t *trajectory.Turn, x *sample.Sample) {
	if m.follows && x != nil && x.Answer != nil && x.Answer.Usage.Reported {
		m.script.Told(t, x.Answer.Usage.PromptTokens, x.Answer.Usage.CompletionTokens)
	}
}

// plain are the messages of a turn as they are.
func plain(t *trajectory.Turn) (list, recorded []json.RawMessage, err error) {
	for i := range t.Append {
		if t.Append[i].Composed != nil {
			return nil, nil, errNoComposer
		}
		list = append(list, t.Append[i].JSON)
	}
	switch {
	case t.Recorded == nil:
	case t.Recorded.Composed != nil:
		return nil, nil, errNoComposer
	default:
		recorded = []json.RawMessage{t.Recorded.JSON}
	}
	return list, recorded, nil
}

func whole(list []filler.Message) []json.RawMessage {
	var all []json.RawMessage
	for i := range list {
		all = append(all, list[i].Whole())
	}
	return all
}
