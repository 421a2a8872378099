package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/filler"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// LengthProber asks a target how many tokens prompts have, with the run's own kind of request.
type LengthProber struct {
	Client *endpoint.Client
	Wire   chat.Wire
	Params []chat.Layer // of the whole run, from the lowest to the highest
}

// Ask implements filler.Asker: one generated token, not streamed.
func (p LengthProber) Ask(ctx context.Context, prompt []filler.Message) (uint64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, errProbeTimeout)
	defer cancel()
	body, err := p.body(prompt)
	if err != nil {
		return 0, err
	}
	reply, err := p.Client.Post(ctx, body)
	if err != nil {
		return 0, err
	}
	if reply.Status != http.StatusOK {
		return 0, fmt.Errorf("the target refuses a prompt of filler: status %d: %s", reply.Status, shortened(reply.Body))
	}
	return promptTokens(reply.Body)
}

func (p LengthProber) body(prompt []filler.Message) ([]byte, error) {
	params, err := chat.Merge(p.Params...)
	if err != nil {
		return nil, err
	}
	wire := p.Wire
	wire.Stream = false
	shell, err := wire.Shell(params, nil, 1)
	if err != nil {
		return nil, err
	}
	var messages []json.RawMessage
	exact := false
	for i := range prompt {
		exact = exact || prompt[i].JSON != nil
		messages = append(messages, prompt[i].Whole())
	}
	if !exact {
		if messages, err = wire.API.Translate(messages...); err != nil {
			return nil, err
		}
	}
	fragments := make([][]byte, len(messages))
	for i, m := range messages {
		fragments[i] = m
	}
	if !exact {
		return bytes.Join(shell.Body(fragments).Body, nil), nil
	}
	request, err := shell.Tokens(fragments)
	if err != nil {
		return nil, err
	}
	return bytes.Join(request.Body, nil), nil
}

// promptTokens reads how many tokens a prompt had, by either name that the APIs have for them.
func promptTokens(body []byte) (uint64, error) {
	var said struct {
		Usage *struct {
			Prompt *uint64 `json:"prompt_tokens"`
			Input  *uint64 `json:"input_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return 0, fmt.Errorf("read the answer to a prompt of filler: %w", err)
	}
	switch u := said.Usage; {
	case u != nil && u.Prompt != nil:
		return *u.Prompt, nil
	case u != nil && u.Input != nil:
		return *u.Input, nil
	}
	return 0, filler.ErrNoUsage
}

// shortened is the begin of a text for an error.
func shortened(b []byte) []byte {
	const most = 200
	if len(b) > most {
		b = b[:most]
	}
	return bytes.ToValidUTF8(bytes.ReplaceAll(b, []byte("\n"), []byte(" ")), nil)
}

// Wants says what workloads want of lengths.
type Wants struct {
	Prompts bool // filler
	Answers bool // of exact lengths
}

// Any reports whether they want anything.
func (w Wants) Any() bool { return w.Prompts || w.Answers }

// Lengths looks what workloads want of lengths, judged by the first trajectory of each. A workload that cannot plan it is left
// to the load, which tells why.
func Lengths(ctx context.Context, sources ...sched.Source) Wants {
	var w Wants
	for _, s := range sources {
		if t, err := s.Plan(ctx, 0, 0); err == nil && t != nil {
			for i := range t.Turns {
				w.see(&t.Turns[i])
			}
		}
	}
	return w
}

func (w *Wants) see(t *trajectory.Turn) {
	w.Answers = w.Answers || t.ExactTokens > 0
	w.Prompts = w.Prompts || slices.ContainsFunc(t.Append, filled) || t.Recorded != nil && filled(*t.Recorded)
}

func filled(m trajectory.Message) bool {
	return m.Composed != nil && slices.ContainsFunc(m.Composed.Pieces, func(p trajectory.Piece) bool { return p.Filler != nil })
}

// composer makes a finished run's messages again.
func (f *Files) composer(root uint64) (*filler.Composer, error) {
	l := filler.Default(filler.Text)
	if f.Config.Lengths != nil {
		l = *f.Config.Lengths
	}
	c, err := filler.New(root, l)
	if err != nil {
		return nil, fmt.Errorf("read lengths of the run: %w", err)
	}
	return c, nil
}
