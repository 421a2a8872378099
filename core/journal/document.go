package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"paceline/core/digest"
	"paceline/core/trajectory"
)

// Schemas of the documents in the content store.
const (
	TrajectorySchema = "trajectory/v1"
	StepSchema       = "step/v1"
)

// Document is a trajectory or a live step in canonical JSON: fixed key order, no white space, no floats, and each text as
// its digest, so that equal content has equal bytes and what is shared is kept once.
type Document struct {
	Body  []byte
	Texts []Text // what Body refers to, in order, with repetitions
}

// Digest returns the digest of the document, which stands for everything that it refers to as well.
func (d Document) Digest() digest.SHA256 { return digest.Of(d.Body) }

// Text is one text and its digest. Its bytes are shared.
type Text struct {
	Digest digest.SHA256
	Bytes  []byte
}

type trajectoryDoc struct {
	Schema      string             `json:"schema"`
	ID          string             `json:"id"`
	Index       uint64             `json:"index"`
	Domain      string             `json:"domain,omitempty"`
	Labels      []trajectory.Label `json:"labels,omitempty"`
	Params      *digest.SHA256     `json:"params,omitempty"`
	Tools       *digest.SHA256     `json:"tools,omitempty"`
	Turns       []turnDoc          `json:"turns"`
	State       *digest.SHA256     `json:"state,omitempty"`
	StartOffset *time.Duration     `json:"start_offset_ns,omitempty"`
	Truth       *digest.SHA256     `json:"truth,omitempty"`
}

type turnDoc struct {
	Index       uint32             `json:"index"`
	Append      []messageDoc       `json:"append,omitempty"`
	Delay       time.Duration      `json:"delay_ns,omitempty"`
	Recorded    *messageDoc        `json:"recorded,omitempty"`
	Params      *digest.SHA256     `json:"params,omitempty"`
	MaxTokens   uint32             `json:"max_tokens,omitempty"`
	ExactTokens uint32             `json:"exact_tokens,omitempty"`
	Final       bool               `json:"final,omitempty"`
	After       *[]uint32          `json:"after,omitempty"`
	Branch      uint32             `json:"branch,omitempty"`
	ForkOf      *uint32            `json:"fork_of,omitempty"`
	Labels      []trajectory.Label `json:"labels,omitempty"`
	Truth       *digest.SHA256     `json:"truth,omitempty"`
}

type messageDoc struct {
	JSON     *digest.SHA256 `json:"json,omitempty"`
	Composed *composedDoc   `json:"composed,omitempty"`
}

type composedDoc struct {
	Role       string     `json:"role"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Pieces     []pieceDoc `json:"pieces,omitempty"`
}

type pieceDoc struct {
	Text         *digest.SHA256 `json:"text,omitempty"`
	Filler       *fillerDoc     `json:"filler,omitempty"`
	AnswerOfTurn *uint32        `json:"answer_of_turn,omitempty"`
}

type fillerDoc struct {
	Tokens uint32           `json:"tokens"`
	Key    []byte           `json:"key,omitempty"` // base64
	Scope  trajectory.Scope `json:"scope"`
}

type stepDoc struct {
	Schema string         `json:"schema"`
	State  *digest.SHA256 `json:"state,omitempty"`
	Turns  []turnDoc      `json:"turns,omitempty"`
	End    *endDoc        `json:"end,omitempty"`
}

type endDoc struct {
	Outcome string         `json:"outcome"`
	Result  *digest.SHA256 `json:"result,omitempty"`
}

var (
	errText  = errors.New("a name, label or role is not valid UTF-8")
	errEmpty = errors.New("a message or a piece holds nothing")
)

// EncodeTrajectory writes the document of t. It shares t's texts.
func EncodeTrajectory(t *trajectory.Trajectory) (Document, error) {
	var e docEncoder
	e.check(t.ID, t.Domain)
	e.checkLabels(t.Labels)
	doc := trajectoryDoc{
		Schema: TrajectorySchema, ID: t.ID, Index: t.Index, Domain: t.Domain, Labels: t.Labels,
		Params: e.text(t.Params), Tools: e.text(t.Tools), Turns: e.turns(t.Turns), State: e.text(t.State),
		StartOffset: t.StartOffset, Truth: e.text(t.Truth),
	}
	if doc.Turns == nil {
		doc.Turns = []turnDoc{}
	}
	d, err := e.finish(doc)
	if err != nil {
		return Document{}, fmt.Errorf("encode trajectory %q: %w", t.ID, err)
	}
	return d, nil
}

// EncodeStep writes the document of one step of a live conversation.
func EncodeStep(s *trajectory.Step) (Document, error) {
	var e docEncoder
	doc := stepDoc{Schema: StepSchema, State: e.text(s.State), Turns: e.turns(s.Turns)}
	if s.End != nil {
		e.check(s.End.Outcome)
		doc.End = &endDoc{Outcome: s.End.Outcome, Result: e.text(s.End.Result)}
	}
	d, err := e.finish(doc)
	if err != nil {
		return Document{}, fmt.Errorf("encode step: %w", err)
	}
	return d, nil
}

// docEncoder collects the texts of one document and the first thing that is wrong with it.
type docEncoder struct {
	texts []Text
	err   error
}

func (e *docEncoder) finish(doc any) (Document, error) {
	if e.err != nil {
		return Document{}, e.err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return Document{}, err
	}
	return Document{Body: bytes.TrimSuffix(buf.Bytes(), []byte("\n")), Texts: e.texts}, nil
}

func (e *docEncoder) check(names ...string) {
	for _, s := range names {
		if !utf8.ValidString(s) {
			e.err = errText
		}
	}
}

func (e *docEncoder) checkLabels(labels []trajectory.Label) {
	for _, l := range labels {
		e.check(l.Key, l.Value)
	}
}

// text returns the digest of a text that may be missing: nil for an empty one.
func (e *docEncoder) text(b []byte) *digest.SHA256 {
	if len(b) == 0 {
		return nil
	}
	return e.some(b)
}

func (e *docEncoder) some(b []byte) *digest.SHA256 {
	d := digest.Of(b)
	e.texts = append(e.texts, Text{d, b})
	return &d
}

func (e *docEncoder) turns(turns []trajectory.Turn) []turnDoc {
	var list []turnDoc
	for i := range turns {
		t := &turns[i]
		e.checkLabels(t.Labels)
		doc := turnDoc{
			Index: t.Index, Delay: t.Delay, Params: e.text(t.Params), MaxTokens: t.MaxTokens, ExactTokens: t.ExactTokens,
			Final: t.Final, After: t.After, Branch: t.Branch, ForkOf: t.ForkOf, Labels: t.Labels, Truth: e.text(t.Truth),
		}
		if t.After != nil && *t.After == nil {
			doc.After = &[]uint32{}
		}
		for j := range t.Append {
			doc.Append = append(doc.Append, e.message(&t.Append[j]))
		}
		if t.Recorded != nil {
			m := e.message(t.Recorded)
			doc.Recorded = &m
		}
		list = append(list, doc)
	}
	return list
}

func (e *docEncoder) message(m *trajectory.Message) messageDoc {
	if m.Composed == nil {
		if m.JSON == nil {
			e.err = errEmpty
		}
		return messageDoc{JSON: e.some(m.JSON)}
	}
	e.check(m.Composed.Role, m.Composed.ToolCallID)
	c := &composedDoc{Role: m.Composed.Role, ToolCallID: m.Composed.ToolCallID}
	for _, p := range m.Composed.Pieces {
		c.Pieces = append(c.Pieces, e.piece(p))
	}
	return messageDoc{Composed: c}
}

func (e *docEncoder) piece(p trajectory.Piece) pieceDoc {
	switch {
	case p.Filler != nil:
		return pieceDoc{Filler: &fillerDoc{Tokens: p.Filler.Tokens, Key: p.Filler.Key, Scope: p.Filler.Scope}}
	case p.AnswerOfTurn != nil:
		return pieceDoc{AnswerOfTurn: p.AnswerOfTurn}
	case p.Text == nil:
		e.err = errEmpty
	}
	return pieceDoc{Text: e.some(p.Text)}
}
