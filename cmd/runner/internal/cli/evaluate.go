package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/core/judge"
	"paceline/core/relay"
	"paceline/core/session"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
)

// evaluates reports whether a scorer of the run asks the target itself.
func (b *builder) evaluates(full string) bool {
	plugin, component, err := splitName(full, b.run.Plugins)
	if err != nil || b.modules[plugin] == nil {
		return false
	}
	c, ok := b.modules[plugin].loaded.Manifest().Component(component)
	return ok && wire.Evaluates(c)
}

// grantsTarget refuses a scorer that evaluates and was not granted the target, before anything is sent.
func (b *builder) grantsTarget() error {
	for _, full := range slices.Sorted(maps.Keys(b.run.Scorers)) {
		if !b.evaluates(full) {
			continue
		}
		plugin, _, _ := splitName(full, b.run.Plugins) // evaluates has split it
		if !slices.Contains(b.modules[plugin].granted, lock.CapabilityTarget) {
			return failHint(exitInput, fmt.Errorf("scorer %s asks the target itself, and the lock does not grant plugin %s the capability target", full, plugin),
				"`runner plugin lock RUNFILE --allow-native` grants what the plugin asks for, if you trust it")
		}
	}
	return nil
}

func (b *builder) evaluator(ctx context.Context, p *wire.Plugin, o wire.Options) (func(*stage), error) {
	e, err := p.OpenEvaluator(ctx, o)
	if err != nil {
		return nil, b.refused(err, o.Inputs)
	}
	return func(s *stage) {
		s.closers = append(s.closers, func() { _ = e.Close() })
		s.evaluators = append(s.evaluators, e)
	}, nil
}

// evaluations is what scorers ask that evaluate: the run's target, with its model and parameters. The first signal gives the
// evaluation that goes on up in order.
func evaluations(ctx context.Context, run *config.Run, client *endpoint.Client, model string, epoch time.Time) (*session.Evaluations, error) {
	params, err := config.JSON(run.Params)
	if err != nil {
		return nil, err
	}
	override, err := config.JSON(run.Override)
	if err != nil {
		return nil, err
	}
	return &session.Evaluations{
		Relay: relay.Config{Forward: client, Epoch: epoch, Model: model, MaxTokensKey: run.Target.MaxTokensKey, MaxTokens: run.MaxTokens,
			Params: params, Override: override, RoutingHeaders: run.RoutingHeaders, Timeout: run.Target.TurnTimeout},
		Endpoint: client.Info().URL, Limit: run.Judging.EvaluationLimit, Interrupt: ctx.Done(),
	}, nil
}

// askedFlags name the target that a judging may ask. The address in the run folder is never used by itself: the folder may
// come from anywhere, and the key would go there.
type askedFlags struct {
	url, keyEnv, keyFile, caFile string
	insecure, anew               bool
	headers                      []string
}

func (f *askedFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.url, "target", "", "base `URL` of the endpoint, for scorers that ask it themselves")
	fs.StringVar(&f.keyEnv, "api-key-env", "", "environment `variable` that holds the API key (default PACELINE_API_KEY)")
	fs.StringVar(&f.keyFile, "api-key-file", "", "`FILE` that holds the API key")
	fs.StringVar(&f.caFile, "ca-file", "", "PEM `FILE` of certificates to trust for https")
	fs.BoolVar(&f.insecure, "insecure", false, "do not check the endpoint's certificate")
	fs.StringArrayVar(&f.headers, "header", nil, "extra request header, `Name=value`; its value is kept secret")
	fs.BoolVar(&f.anew, "evaluate-anew", false, "begin evaluations anew, also one that was interrupted")
}

// askAgain opens the target that evaluators of a finished run ask, nil without --target. What it returns last frees it.
func (a *app) askAgain(ctx context.Context, f *askedFlags, run *config.Run, st *stage) (*session.Evaluations, func(), error) {
	if f.url == "" {
		return nil, func() {}, nil
	}
	if len(st.evaluators) == 0 {
		return nil, nil, failHint(exitUsage, errors.New("--target: no scorer of this run asks the target"), "leave it out")
	}
	t := run.Target
	t.API = "" // evaluations ask by chat completions, whatever the load was asked by
	t.URL, t.Path, t.APIKey, t.APIKeyEnv, t.APIKeyFile = f.url, "", "", f.keyEnv, f.keyFile
	if t.APIKeyEnv == "" {
		t.APIKeyEnv = config.Defaults().Target.APIKeyEnv
	}
	t.CAFile, t.Insecure, t.Headers = f.caFile, f.insecure, map[string]string{}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok {
			return nil, nil, fail(exitUsage, errors.New("--header: want Name=value"))
		}
		t.Headers[name] = value
	}
	epoch := time.Now()
	client, model, err := a.openTarget(ctx, t, epoch)
	if err != nil {
		return nil, nil, err
	}
	asks, err := evaluations(ctx, run, client, model, epoch)
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	asks.Anew = f.anew
	return asks, client.Close, nil
}

// interrupted gives what did not pass because it was interrupted the code of that.
func (a *app) interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil || codeOf(err) != exitJudged {
		return err
	}
	return fail(exitInterrupted, err)
}

// evaluation shows how far a scorer is that evaluates: on a terminal as judging is shown, elsewhere a line every ten seconds.
func (j *judging) evaluation(n judge.Progress) {
	text := fmt.Sprintf("evaluate: %s, %d of %d items", n.Name, n.Done, n.Total)
	if n.Status != "" {
		text += " (" + n.Status + ")"
	}
	every := 200 * time.Millisecond
	if j.plain != nil {
		every = 10 * time.Second
	}
	if time.Since(j.last) < every {
		return
	}
	switch {
	case j.p != nil:
		j.p.show(text)
	case j.plain != nil:
		fmt.Fprintln(j.plain, text)
	}
	j.last = time.Now()
}
