package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/engine"
	"paceline/core/survey"
)

// doctorFlags say what is looked at.
type doctorFlags struct {
	target  config.Target
	urls    []string
	system  systemFlags
	headers []string
	noToken bool
	json    bool
}

func (a *app) doctorCommand() *cobra.Command {
	f := doctorFlags{target: config.Defaults().Target}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what a target is and what it lacks for a run, or what this machine is",
		Long: "Asks a target which engine it is, and whether it tells token counts in streams, cached tokens, heeds parameters for\n" +
			"an exact length, has an order that empties its prefix cache, and a page of metrics. What is missing comes with the\n" +
			"switch of the server that mends it. It reads a few pages and asks for one token twice; nothing is changed. With several\n" +
			"--target it tells of each, and in what they differ.\n\n" +
			"With --system it tells what this machine is, as far as it says so itself, in the form that `submit pack --system` reads:\n" +
			"processors, memory, accelerators, network, storage, software. It reads no names, addresses or serial numbers.\n\n" +
			"Exit code 0: nothing is missing; 7: something is; 4: the target is down or refuses.",
		Example: "  runner doctor --target http://127.0.0.1:8000/v1\n" +
			"  runner doctor --target http://127.0.0.1:8000/v1 --engine vllm --json\n" +
			"  runner doctor --target http://127.0.0.1:8000/v1 \\\n      --target http://127.0.0.1:8001/v1\n" +
			"  runner doctor --system --weights /data/models --out facts.yaml",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.which(); err != nil {
				return err
			}
			if f.system.on {
				return a.doctorSystem(c.Context(), &f.system, f.json)
			}
			return a.doctorTargets(c.Context(), &f)
		},
	}
	f.register(c.Flags())
	f.system.register(c.Flags())
	return c
}

func (f *doctorFlags) register(fs *pflag.FlagSet) {
	t := &f.target
	fs.StringArrayVar(&f.urls, "target", nil, "base `URL` of the endpoint, e.g. http://127.0.0.1:8000/v1; may be repeated")
	fs.StringVar(&t.Model, "model", "", "served `name` of the model (default: the only one in /v1/models)")
	fs.StringVar(&t.Engine, "engine", "", "`name` of the serving engine: "+strings.Join(engine.Words(), ", ")+" (default auto)")
	fs.StringVar(&t.APIKeyEnv, "api-key-env", t.APIKeyEnv, "environment `variable` that holds the API key")
	fs.StringVar(&t.APIKeyFile, "api-key-file", "", "`FILE` that holds the API key")
	fs.StringVar(&t.CAFile, "ca-file", "", "PEM `FILE` of certificates to trust for https")
	fs.BoolVar(&t.Insecure, "insecure", false, "do not check the endpoint's certificate")
	fs.StringArrayVar(&f.headers, "header", nil, "extra request header, `Name=value`; its value is kept secret")
	fs.BoolVar(&f.noToken, "no-token", false, "only read pages, ask for no token")
	fs.BoolVar(&f.json, "json", false, "write what was found as JSON")
}

// maxDoctorAnswer bounds each answer that the doctor reads.
const maxDoctorAnswer = 4 << 20

// doctorTargets looks at each target that was given, and at what they do not have in common.
func (a *app) doctorTargets(ctx context.Context, f *doctorFlags) error {
	named, err := engine.ParseKind(f.target.Engine)
	if err != nil {
		return fail(exitUsage, fmt.Errorf("--engine: %w", err))
	}
	if err := f.readHeaders(); err != nil {
		return err
	}
	f.target.MaxAnswer = maxDoctorAnswer
	var all survey.Reports
	for _, url := range f.urls {
		t := f.target
		t.URL = url
		r, err := a.doctorTarget(ctx, f, t, named)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	write := all.WriteText
	if f.json {
		write = all.WriteJSON
	}
	if err := write(a.Stdout); err != nil {
		return err
	}
	if missing := all.Missing(); len(missing) > 0 {
		return fail(exitJudged, errors.New(strings.Join(missing, "; ")))
	}
	return nil
}

// doctorTarget looks at one target.
func (a *app) doctorTarget(ctx context.Context, f *doctorFlags, target config.Target, named engine.Kind) (*survey.Report, error) {
	t, err := a.reach(ctx, target, time.Now())
	if err != nil {
		return nil, err
	}
	defer t.client.Close()
	o := survey.Options{Engine: named, Models: t.models, Thoroughly: true}
	if !f.noToken {
		o.Token = &chat.Wire{Model: t.model, MaxTokensKey: f.target.MaxTokensKey}
	}
	r := survey.Ask(ctx, t.client, o).Report(t.client.Info().URL, t.model, named)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r, nil
}

func (f *doctorFlags) readHeaders() error {
	f.target.Headers = map[string]string{}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok || name == "" {
			return fail(exitUsage, errors.New("--header: want Name=value"))
		}
		f.target.Headers[name] = value
	}
	return nil
}
