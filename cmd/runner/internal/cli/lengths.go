package cli

import (
	"bytes"
	"context"
	"fmt"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/sched"
	"paceline/core/session"
)

// loaded is the target as the load asks it: prompts of exact lengths are token ids, which only one API takes.
func loaded(run *config.Run) config.Target {
	t := run.Target
	if run.Lengths == string(filler.Exact) {
		t.API = string(chat.APICompletions)
	}
	return t
}

// measureLengths settles how planned lengths become prompts and answers of the run that is to be played, where it is made of
// lengths at all: it asks the target what engine it is, and how many tokens prompts of known sizes have.
// Several targets are asked one after another, and must agree: requests are made by one set of lengths.
func (a *app) measureLengths(ctx context.Context, spec *runSpec, st *stage, at []*place, plan *session.Plan) error {
	run := &spec.resolved.Run
	mode := filler.Mode(run.Lengths)
	if mode == "" {
		mode = filler.Text
	}
	wants := session.Lengths(ctx, st.sources()...)
	if mode == filler.Text && !wants.Any() {
		return nil
	}
	var first filler.Lengths
	for i, p := range at {
		l, err := a.lengthsOf(ctx, spec, st, p, plan, mode, wants)
		if err != nil {
			return err
		}
		if i == 0 {
			first = l
		} else if field := otherLengths(&first, &l); field != "" {
			return failHint(exitTarget, fmt.Errorf("targets %s and %s make planned lengths differently (%s): one run has one set of lengths", at[0].name, p.name, field),
				"play them one after another, or give targets with the same model, chat template and kind of engine")
		}
	}
	if mode == filler.Exact {
		plan.Sched.Switches = first.Engine.TellTokens()
	}
	plan.Sched.Lengths, plan.Config.Lengths = first, &first
	return nil
}

// lengthsOf is what one target makes of planned lengths.
func (a *app) lengthsOf(ctx context.Context, spec *runSpec, st *stage, p *place, plan *session.Plan, mode filler.Mode, wants session.Wants) (filler.Lengths, error) {
	l := filler.Default(mode)
	kind, forced := forcing(ctx, p.client, p.target.IgnoreEOS)
	ask := session.LengthProber{
		Client: p.client, Mode: mode, Engine: kind, Wire: plan.Sched.Wire, Params: prober(p.client, &plan.Sched).Params, Thinking: plan.Sched.Thinking,
	}
	if err := p.readyTokenizer(&ask, &plan.Sched); err != nil {
		return l, err
	}
	if wants.Prompts || mode == filler.Exact {
		var err error
		if l, err = filler.Calibrate(ctx, st.seed, mode, plan.Sched.Live(), ask); err != nil {
			return l, failHint(exitTarget, err, lengthsHint(mode))
		}
		if !spec.quiet {
			fmt.Fprintf(a.Stderr, "lengths: %s%s, %s\n", p.who(), l.Mode, l.State)
		}
	}
	l.Engine, l.Forced = kind, forced
	if counts(&l) {
		p.tokenizer = ask.Tokenizer
	}
	return l, nil
}

// otherLengths names what makes requests by two measurements different; empty: nothing. How a generated token comes back is not
// held against them: it is of an answer, and each target wrote its own.
func otherLengths(a, b *filler.Lengths) string {
	force, _ := a.Engine.ForceLength(1)
	other, _ := b.Engine.ForceLength(1)
	for _, c := range []struct {
		name string
		same bool
	}{
		{"state", a.State == b.State}, {"tokens of a word", a.Word == b.Word}, {"tokens of the chat template", a.Overhead == b.Overhead},
		{"tokens before a prompt", a.Added == b.Added}, {"outputs forced", a.Forced == b.Forced},
		{"use of the tokenizer", counts(a) == counts(b)},
		{"the engine's switches", bytes.Equal(force, other) && bytes.Equal(a.Engine.TellTokens(), b.Engine.TellTokens())},
	} {
		if !c.same {
			return c.name
		}
	}
	return ""
}

func counts(l *filler.Lengths) bool { return l.Tokenizer != nil && l.Tokenizer.Used }

// readyTokenizer readies that the target is asked how many tokens its answers have, by connections of their own, where
// histories have filler around live answers and the engine is known to tell or is to be asked anyway, as vLLM is.
func (p *place) readyTokenizer(ask *session.LengthProber, c *sched.Config) error {
	kind, when := ask.Engine, p.target.Tokenize
	if when == "always" && kind.Tokenize("", nil).Path == "" {
		kind = engine.VLLM
	}
	if when == "never" || ask.Mode != filler.Text || !c.Live() || kind.Tokenize("", nil).Path == "" {
		return nil
	}
	own, err := p.client.By(c.Wire.API)
	if err != nil {
		return fail(exitInternal, err)
	}
	p.counting = own
	ask.Tokenizer = session.Tokenizer{Asked: own, Kind: kind, Model: c.Wire.Model}
	return nil
}

func lengthsHint(m filler.Mode) string {
	if m == filler.Exact {
		return "--lengths text needs no prompts of token ids"
	}
	return ""
}

// forcing tells the target's engine, and whether its switches are to make answers of exact lengths. An engine that is forced
// though nobody knows it is taken for vLLM, whose switches the others have.
func forcing(ctx context.Context, client *endpoint.Client, when string) (engine.Kind, bool) {
	kind := engine.Unknown
	if reply, err := client.Get(ctx, "/v1/models"); err == nil {
		kind = engine.OfModels(reply.Body)
	}
	_, known := kind.ForceLength(1)
	switch {
	case when == "never":
		return kind, false
	case when == "always" && !known:
		return engine.VLLM, true
	}
	return kind, known
}
