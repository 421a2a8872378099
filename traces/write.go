package traces

import (
	"paceline/core/trajectory"
	"paceline/sdk"
	"paceline/workloads/import/normal"
)

// Append appends a trajectory in the normal form, one line with its end. Equal trajectories have equal bytes.
func Append(dst []byte, t *trajectory.Trajectory) ([]byte, error) {
	out := sdk.Trajectory{Id: t.ID, Domain: t.Domain, Labels: labels(t.Labels), State: t.State, Truth: t.Truth}
	if t.Params != nil || t.Tools != nil {
		out.Defaults = &sdk.Defaults{Params: t.Params, Tools: t.Tools}
	}
	if t.StartOffset != nil {
		offset := uint64(*t.StartOffset)
		out.StartOffsetNs = &offset
	}
	for i := range t.Turns {
		out.Turns = append(out.Turns, turn(&t.Turns[i]))
	}
	return normal.Append(dst, &out)
}

func turn(t *trajectory.Turn) sdk.Turn {
	out := sdk.Turn{
		Index: t.Index, DelayNs: uint64(t.Delay), Params: t.Params, MaxTokens: t.MaxTokens, ExactTokens: t.ExactTokens, Final: t.Final,
		Branch: t.Branch, ForkOf: t.ForkOf, Labels: labels(t.Labels), Truth: t.Truth,
	}
	if t.After != nil {
		out.After = &sdk.After{Turns: *t.After}
	}
	for i := range t.Append {
		out.Append = append(out.Append, message(&t.Append[i]))
	}
	if t.Recorded != nil {
		m := message(t.Recorded)
		out.Recorded = &m
	}
	return out
}

func message(m *trajectory.Message) sdk.Message {
	if m.Composed == nil {
		return sdk.Message{Json: m.JSON}
	}
	c := &sdk.Composed{Role: m.Composed.Role, ToolCallId: m.Composed.ToolCallID}
	for _, p := range m.Composed.Pieces {
		piece := sdk.Piece{Text: p.Text, AnswerOfTurn: p.AnswerOfTurn}
		if p.Filler != nil {
			piece.Filler = &sdk.Filler{Tokens: p.Filler.Tokens, Key: p.Filler.Key, Scope: sdk.Scope(p.Filler.Scope)}
		}
		c.Pieces = append(c.Pieces, piece)
	}
	return sdk.Message{Composed: c}
}

func labels(list []trajectory.Label) []sdk.Label {
	var out []sdk.Label
	for _, l := range list {
		out = append(out, sdk.Label{Key: l.Key, Value: l.Value})
	}
	return out
}
