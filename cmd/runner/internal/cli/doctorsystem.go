package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"paceline/mlperf/machine"
)

// systemFlags say what of this machine is looked at.
type systemFlags struct {
	on           bool
	weights, out string
}

func (f *systemFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.on, "system", false, "tell what this machine is, as a file for `submit pack --system`")
	fs.StringVar(&f.weights, "weights", "/", "with --system: the `folder` of the model's weights, whose file system is told")
	fs.StringVar(&f.out, "out", "", "with --system: `FILE` to write; it must not be there (default: the standard output)")
}

// doctorSystem asks the machine that it runs on.
func (a *app) doctorSystem(ctx context.Context, f *systemFlags, asJSON bool) error {
	weights, err := filepath.Abs(f.weights)
	if err != nil {
		return fail(exitUsage, err)
	}
	facts := machine.Ask(ctx, machine.This(weights))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if asJSON {
		return writeJSON(a.Stdout, map[string]any{"system": map[string]any{"node": facts.Node, "not_told": facts.Gaps}})
	}
	text, err := facts.YAML()
	if err != nil {
		return err
	}
	if f.out == "" {
		_, err = a.Stdout.Write(text)
		return err
	}
	if err := writeNew(f.out, text); err != nil {
		return err
	}
	for _, g := range facts.Gaps {
		fmt.Fprintf(a.Stderr, "not told: %s (%s)\n", g.Field, g.Why)
	}
	fmt.Fprintf(a.Stdout, "%s: give it first, and the filled template after it: submit pack DIR --system %s --system system.yaml\n", f.out, f.out)
	return nil
}

// which finds out whether one thing is asked for.
func (f *doctorFlags) which() error {
	switch {
	case f.system.on && len(f.urls) > 0:
		return failHint(exitUsage, errors.New("--target and --system ask two different things"), "run doctor once for each")
	case !f.system.on && len(f.urls) == 0:
		return failHint(exitUsage, errors.New("--target or --system is missing"),
			"--target http://127.0.0.1:8000/v1 looks at an endpoint, --system at this machine")
	}
	return nil
}
