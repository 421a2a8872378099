package judge

import (
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/trajectory"
)

// standIn lets what stood for turn i's answer join a history of live answers: the turn was not played.
func (r *replayed) standIn(i int, h *chat.History) error {
	t := &r.drafts.Turns[i]
	fragments, err := r.stands(i)
	if err != nil {
		return err
	}
	if r.stood == nil {
		r.stood = map[uint32]json.RawMessage{}
	}
	if whole := chat.Joined(fragments); len(whole) > 0 {
		r.stood[t.Index] = whole[0]
	}
	return h.Recorded(fragments...)
}

// stands is the recorded answer where it has words, else filler of the planned length.
func (r *replayed) stands(i int) ([]json.RawMessage, error) {
	t := &r.drafts.Turns[i]
	if trajectory.Spoken(t.Recorded) {
		if t.Recorded.Composed == nil {
			return r.drafts.Recorded(i)
		}
		drafts, err := trajectory.Drafts([]trajectory.Message{*t.Recorded})
		fragments, _ := chat.Fragments(drafts)
		return fragments, err
	}
	if r.script == nil {
		return nil, nil
	}
	tokens := trajectory.AnswerLength(t)
	if r.follows {
		fragments, _ := chat.Fragments(r.script.StandIn(t, tokens))
		return fragments, nil
	}
	fragments, _ := chat.Fragments(r.m.c.Composer.StandIn(r.owner, t.Index, tokens))
	return fragments, nil
}

// trim leaves older turns out of a history as turn i's sample says, and splits it before the last messages, so many, which the
// turn appended.
func (r *replayed) trim(i int, h *chat.History, appended int) (history, list [][]byte) {
	r.marks = append(r.marks, h.Len())
	if x := r.answers[r.drafts.Turns[i].Index]; x != nil && x.LeftOut > r.left && x.LeftOut < len(r.marks)-1 {
		r.leave(h, x.LeftOut)
	}
	all := h.Messages()
	return all[:len(all)-appended], all[len(all)-appended:]
}

// leave leaves the first turns out, so many: their answers, and what followed each.
func (r *replayed) leave(h *chat.History, turns int) {
	gone := r.marks[turns] - r.marks[0]
	h.Drop(r.marks[0], r.marks[turns])
	for k := turns; k < len(r.marks); k++ {
		r.marks[k] -= gone
	}
	r.left = turns
}
