package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// LengthProber asks a target how many tokens prompts have, with the run's own kind of request.
type LengthProber struct {
	Client   *endpoint.Client
	Mode     filler.Mode
	Engine   engine.Kind
	Wire     chat.Wire
	Params   []chat.Layer  // of the whole run, from the lowest to the highest
	Thinking chat.Thinking // of live answers
	// Tokenizer is looked at too; its zero value asks nothing.
	Tokenizer
}

// Ask implements filler.Asker: one generated token.
func (p LengthProber) Ask(ctx context.Context, prompt []chat.Draft) (uint64, error) {
	answer, err := p.issue(ctx, prompt, 1)
	return answer.Usage.PromptTokens, err
}

// Answer implements filler.Asker.
func (p LengthProber) Answer(ctx context.Context, prompt []chat.Draft, tokens uint32) (chat.Draft, uint64, error) {
	answer, err := p.issue(ctx, prompt, tokens)
	if err != nil {
		return chat.Draft{}, 0, err
	}
	h := chat.NewHistory(p.Thinking)
	if err := h.Live(&answer); err != nil {
		return chat.Draft{}, 0, err
	}
	return chat.Draft{JSON: h.Messages()[0]}, answer.Usage.CompletionTokens, nil
}

// issue sends one request, not streamed.
func (p LengthProber) issue(ctx context.Context, prompt []chat.Draft, tokens uint32) (chat.Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, errProbeTimeout)
	defer cancel()
	request, err := p.request(prompt, tokens)
	if err != nil {
		return chat.Answer{}, err
	}
	x := sample.Exchange{Timing: sample.NoTiming()}
	p.Client.Issue(ctx, request, &x)
	switch {
	case x.Answer == nil || x.Outcome != sample.OK:
		return chat.Answer{}, fmt.Errorf("the target refuses a prompt of filler: %s: %s", x.Outcome, x.Cause)
	case !x.Answer.Usage.Reported:
		return chat.Answer{}, filler.ErrNoUsage
	}
	return *x.Answer, nil
}

func (p LengthProber) request(prompt []chat.Draft, tokens uint32) (*chat.Request, error) {
	layers := p.Params
	if force, ok := p.Engine.ForceLength(tokens); ok {
		layers = append(slices.Clip(layers), chat.Layer{Name: "the engine's switches", Params: force})
	}
	params, err := chat.Merge(layers...)
	if err != nil {
		return nil, err
	}
	wire := p.Wire
	wire.Stream = false
	shell, err := wire.Shell(params, nil, tokens)
	if err != nil {
		return nil, err
	}
	var messages []json.RawMessage
	for i := range prompt {
		whole, _ := prompt[i].Whole()
		messages = append(messages, whole)
	}
	if p.Mode == filler.Text {
		if messages, err = wire.API.Translate(messages...); err != nil {
			return nil, err
		}
	}
	fragments := make([][]byte, len(messages))
	for i, m := range messages {
		fragments[i] = m
	}
	if p.Mode == filler.Text {
		return shell.Body(fragments), nil
	}
	return shell.Tokens(fragments)
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
