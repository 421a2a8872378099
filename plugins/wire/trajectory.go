package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"paceline/core/trajectory"
	pb "paceline/schemas/gen/pluginv1"
)

// raw gives nil for no bytes: an absent document and an empty one are the same in the contract.
func raw(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}

// isJSON reports whether a document is absent or well formed and, where open is set, starts with it.
func isJSON(doc json.RawMessage, open byte) bool {
	if doc == nil {
		return true
	}
	if !json.Valid(doc) {
		return false
	}
	for _, c := range doc {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return open == 0 || c == open
		}
	}
	return false
}

// trajectoryOf translates a planned trajectory. Its Check finds what is wrong with the content.
func trajectoryOf(said *pb.Trajectory, index uint64) (*trajectory.Trajectory, error) {
	turns, err := turnsOf(said.GetTurns())
	if err != nil {
		return nil, err
	}
	t := &trajectory.Trajectory{ID: said.GetId(), Index: index, Domain: said.GetDomain(), Labels: labelsOf(said.GetLabels()),
		Params: raw(said.GetDefaults().GetParams()), Tools: raw(said.GetDefaults().GetTools()), Turns: turns,
		State: said.GetState(), Truth: raw(said.GetTruth())}
	if said.StartOffsetNs != nil {
		offset, err := span(said.GetStartOffsetNs())
		if err != nil {
			return nil, fmt.Errorf("start_offset_ns: %w", err)
		}
		t.StartOffset = &offset
	}
	return t, nil
}

// span translates nanoseconds; what no duration holds is refused.
func span(ns uint64) (time.Duration, error) {
	if ns > math.MaxInt64 {
		return 0, fmt.Errorf("%d nanoseconds are too many", ns)
	}
	return time.Duration(ns), nil
}

func labelsOf(list []*pb.Label) []trajectory.Label {
	if len(list) == 0 {
		return nil
	}
	labels := make([]trajectory.Label, len(list))
	for i, l := range list {
		labels[i] = trajectory.Label{Key: l.GetKey(), Value: l.GetValue()}
	}
	return labels
}

func turnsOf(list []*pb.Turn) ([]trajectory.Turn, error) {
	if len(list) == 0 {
		return nil, nil
	}
	turns := make([]trajectory.Turn, len(list))
	for i, said := range list {
		if err := turnOf(said, &turns[i]); err != nil {
			return nil, fmt.Errorf("turns[%d].%w", i, err)
		}
	}
	return turns, nil
}

func turnOf(said *pb.Turn, t *trajectory.Turn) error {
	delay, err := span(said.GetDelayNs())
	if err != nil {
		return fmt.Errorf("delay_ns: %w", err)
	}
	*t = trajectory.Turn{Index: said.GetIndex(), Delay: delay, Params: raw(said.GetParams()), MaxTokens: said.GetMaxTokens(),
		ExactTokens: said.GetExactTokens(), Final: said.GetFinal(), Branch: said.GetBranch(), ForkOf: said.ForkOf,
		Labels: labelsOf(said.GetLabels()), Truth: raw(said.GetTruth())}
	if said.GetAfter() != nil {
		after := append([]uint32{}, said.GetAfter().GetTurns()...)
		t.After = &after
	}
	for i, m := range said.GetAppend() {
		message, err := messageOf(m)
		if err != nil {
			return fmt.Errorf("append[%d].%w", i, err)
		}
		t.Append = append(t.Append, message)
	}
	if said.GetRecorded() != nil {
		message, err := messageOf(said.GetRecorded())
		if err != nil {
			return fmt.Errorf("recorded.%w", err)
		}
		t.Recorded = &message
	}
	return nil
}

func messageOf(said *pb.Message) (trajectory.Message, error) {
	switch body := said.GetBody().(type) {
	case *pb.Message_Json:
		return trajectory.Message{JSON: body.Json}, nil
	case *pb.Message_Composed:
		return composedOf(body.Composed)
	}
	return trajectory.Message{}, fmt.Errorf("body is missing or of a kind that this runner does not know")
}

func composedOf(said *pb.Composed) (trajectory.Message, error) {
	c := &trajectory.Composed{Role: said.GetRole(), ToolCallID: said.GetToolCallId()}
	for i, p := range said.GetPieces() {
		piece, err := pieceOf(p)
		if err != nil {
			return trajectory.Message{}, fmt.Errorf("composed.pieces[%d].%w", i, err)
		}
		c.Pieces = append(c.Pieces, piece)
	}
	return trajectory.Message{Composed: c}, nil
}

func pieceOf(said *pb.Piece) (trajectory.Piece, error) {
	switch kind := said.GetKind().(type) {
	case *pb.Piece_Text:
		if kind.Text == nil {
			return trajectory.Piece{Text: []byte{}}, nil
		}
		return trajectory.Piece{Text: kind.Text}, nil
	case *pb.Piece_AnswerOfTurn:
		return trajectory.Piece{AnswerOfTurn: &kind.AnswerOfTurn}, nil
	case *pb.Piece_Filler:
		scope, ok := map[pb.Filler_Scope]trajectory.Scope{
			pb.Filler_SCOPE_TRAJECTORY: trajectory.ScopeTrajectory,
			pb.Filler_SCOPE_RUN:        trajectory.ScopeRun,
			pb.Filler_SCOPE_WORKLOAD:   trajectory.ScopeWorkload,
		}[kind.Filler.GetScope()]
		if !ok {
			return trajectory.Piece{}, fmt.Errorf("filler.scope: %s", unknown(int32(kind.Filler.GetScope())))
		}
		return trajectory.Piece{Filler: &trajectory.Filler{Tokens: kind.Filler.GetTokens(), Key: kind.Filler.GetKey(), Scope: scope}}, nil
	}
	return trajectory.Piece{}, fmt.Errorf("kind is missing or one that this runner does not know")
}
