package journal

import (
	"encoding/json"
	"fmt"

	"paceline/core/digest"
	"paceline/core/trajectory"
)

// MissingError says that the content store lacks a text, as in a bundle that left it out.
type MissingError struct{ Digest digest.SHA256 }

// Error implements error.
func (e *MissingError) Error() string { return "content store holds no text " + e.Digest.String() }

// DecodeTrajectory gives back the trajectory whose document has the digest d. Empty texts come back as nil.
func DecodeTrajectory(c Contents, d digest.SHA256) (*trajectory.Trajectory, error) {
	var doc trajectoryDoc
	if err := document(c, d, &doc); err != nil {
		return nil, fmt.Errorf("read trajectory: %w", err)
	}
	if doc.Schema != TrajectorySchema {
		return nil, fmt.Errorf("read trajectory %s: schema %q, want %s", d, doc.Schema, TrajectorySchema)
	}
	r := docReader{from: c}
	t := &trajectory.Trajectory{
		ID: doc.ID, Index: doc.Index, Domain: doc.Domain, Labels: doc.Labels, Params: r.text(doc.Params),
		Tools: r.text(doc.Tools), Turns: r.turns(doc.Turns), State: r.text(doc.State), StartOffset: doc.StartOffset,
		Truth: r.text(doc.Truth),
	}
	if r.err != nil {
		return nil, fmt.Errorf("read trajectory %q: %w", doc.ID, r.err)
	}
	return t, nil
}

// DecodeStep gives back the live step whose document has the digest d.
func DecodeStep(c Contents, d digest.SHA256) (*trajectory.Step, error) {
	var doc stepDoc
	if err := document(c, d, &doc); err != nil {
		return nil, fmt.Errorf("read step: %w", err)
	}
	if doc.Schema != StepSchema {
		return nil, fmt.Errorf("read step %s: schema %q, want %s", d, doc.Schema, StepSchema)
	}
	r := docReader{from: c}
	s := &trajectory.Step{State: r.text(doc.State), Turns: r.turns(doc.Turns)}
	if doc.End != nil {
		s.End = &trajectory.End{Outcome: doc.End.Outcome, Result: r.text(doc.End.Result)}
	}
	if r.err != nil {
		return nil, fmt.Errorf("read step %s: %w", d, r.err)
	}
	return s, nil
}

func document(c Contents, d digest.SHA256, into any) error {
	body, ok := c.Get(d)
	if !ok {
		return &MissingError{d}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("document %s: %w", d, err)
	}
	return nil
}

// docReader resolves digests; its first error stays.
type docReader struct {
	from Contents
	err  error
}

func (r *docReader) text(d *digest.SHA256) []byte {
	if d == nil || r.err != nil {
		return nil
	}
	b, ok := r.from.Get(*d)
	if !ok {
		r.err = &MissingError{*d}
	}
	return b
}

func (r *docReader) turns(docs []turnDoc) []trajectory.Turn {
	var list []trajectory.Turn
	for i := range docs {
		doc := &docs[i]
		t := trajectory.Turn{
			Index: doc.Index, Delay: doc.Delay, Params: r.text(doc.Params), MaxTokens: doc.MaxTokens,
			ExactTokens: doc.ExactTokens, Final: doc.Final, After: doc.After, Branch: doc.Branch, ForkOf: doc.ForkOf,
			Labels: doc.Labels, Truth: r.text(doc.Truth),
		}
		for _, m := range doc.Append {
			t.Append = append(t.Append, r.message(m))
		}
		if doc.Recorded != nil {
			m := r.message(*doc.Recorded)
			t.Recorded = &m
		}
		list = append(list, t)
	}
	return list
}

func (r *docReader) message(m messageDoc) trajectory.Message {
	if m.Composed == nil {
		return trajectory.Message{JSON: r.text(m.JSON)}
	}
	c := &trajectory.Composed{Role: m.Composed.Role, ToolCallID: m.Composed.ToolCallID}
	for _, p := range m.Composed.Pieces {
		piece := trajectory.Piece{Text: r.text(p.Text), AnswerOfTurn: p.AnswerOfTurn}
		if p.Filler != nil {
			piece.Filler = &trajectory.Filler{Tokens: p.Filler.Tokens, Key: p.Filler.Key, Scope: p.Filler.Scope}
		}
		c.Pieces = append(c.Pieces, piece)
	}
	return trajectory.Message{Composed: c}
}
