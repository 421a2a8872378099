package cli

import (
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
// lengths at all: it asks the target what engine it is, and how many tokens prompts of known sizes have. The tokenizer is nil
// where answers are not to be counted.
func (a *app) measureLengths(ctx context.Context, spec *runSpec, st *stage, client *endpoint.Client, plan *session.Plan) (sched.Tokenizer, func(), error) {
	run := &spec.resolved.Run
	mode := filler.Mode(run.Lengths)
	if mode == "" {
		mode = filler.Text
	}
	wants := session.Lengths(ctx, st.sources()...)
	if mode == filler.Text && !wants.Any() {
		return nil, func() {}, nil
	}
	l := filler.Default(mode)
	kind, forced := forcing(ctx, client, run.Target.IgnoreEOS)
	ask := session.LengthProber{
		Client: client, Mode: mode, Engine: kind, Wire: plan.Sched.Wire, Params: prober(client, &plan.Sched).Params, Thinking: plan.Sched.Thinking,
	}
	done, err := tokenizer(&ask, client, &plan.Sched, run.Target.Tokenize)
	if err != nil {
		return nil, nil, err
	}
	if wants.Prompts || mode == filler.Exact {
		if l, err = filler.Calibrate(ctx, st.seed, mode, plan.Sched.Live(), ask); err != nil {
			done()
			return nil, nil, failHint(exitTarget, err, lengthsHint(mode))
		}
		if !spec.quiet {
			fmt.Fprintf(a.Stderr, "lengths: %s, %s\n", l.Mode, l.State)
		}
	}
	l.Engine, l.Forced = kind, forced
	if mode == filler.Exact {
		plan.Sched.Switches = l.Engine.TellTokens()
	}
	plan.Sched.Lengths, plan.Config.Lengths = l, &l
	if l.Tokenizer == nil || !l.Tokenizer.Used {
		return nil, done, nil
	}
	return ask.Tokenizer, done, nil
}

// tokenizer readies that the target is asked how many tokens its answers have, by connections of their own, where histories
// have filler around live answers and the engine is known to tell or is to be asked anyway, as vLLM is.
func tokenizer(ask *session.LengthProber, client *endpoint.Client, c *sched.Config, when string) (done func(), err error) {
	kind := ask.Engine
	if when == "always" && kind.Tokenize("", nil).Path == "" {
		kind = engine.VLLM
	}
	if when == "never" || ask.Mode != filler.Text || !c.Live() || kind.Tokenize("", nil).Path == "" {
		return func() {}, nil
	}
	own, err := client.By(c.Wire.API)
	if err != nil {
		return nil, fail(exitInternal, err)
	}
	ask.Tokenizer = session.Tokenizer{Asked: own, Kind: kind, Model: c.Wire.Model}
	return own.Close, nil
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
