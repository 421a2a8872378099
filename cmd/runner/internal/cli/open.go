package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"paceline/cmd/runner/internal/config"
	"paceline/plugins/wire"
)

// describe runs each plugin for the first time: what it says of itself must agree with its manifest. Nothing is opened
// before, so that a module that is not in the compile cache yet is compiled once and not by each of its components.
func (b *builder) describe(ctx context.Context) error {
	err := sideBySide(ctx, len(b.order), func(ctx context.Context, i int) error {
		m := b.modules[b.order[i]]
		limits, err := b.limits(b.order[i])
		if err != nil {
			return fail(exitUsage, err)
		}
		m.wire, err = wire.LoadWithin(ctx, m.loaded, limits)
		return err
	})
	for _, name := range b.order {
		m := b.modules[name]
		if m.wire == nil {
			break
		}
		if _, note := m.loaded.Cache(); note != "" && !b.quiet {
			fmt.Fprintf(b.app.Stderr, "note: %s\n", note)
		}
	}
	if _, ok := errors.AsType[*coded](err); ok || err == nil {
		return err
	}
	return fail(exitInput, err)
}

// options are those of the component of a full name, which is its name in the run too, unless that says otherwise.
func (b *builder) options(full string, settings map[string]any) (*wire.Plugin, wire.Options, error) {
	plugin, component, err := splitName(full, b.run.Plugins)
	if err != nil {
		return nil, wire.Options{}, fail(exitUsage, err)
	}
	raw, err := config.JSON(settings)
	if err != nil {
		return nil, wire.Options{}, fail(exitUsage, fmt.Errorf("configuration of %s: %w", full, err))
	}
	if raw == nil {
		raw = json.RawMessage("{}")
	}
	limits, err := b.limits(full)
	if err != nil {
		return nil, wire.Options{}, fail(exitUsage, err)
	}
	o := wire.Options{FullName: full, Component: component, Config: raw, RootSeed: b.stage.seed, Limits: limits}
	if dir := b.app.cacheDir("passes"); dir != "" {
		o.Passes = &wire.Passes{Dir: dir}
	}
	o.Granted = b.modules[plugin].granted
	return b.modules[plugin].wire, o, nil
}

// opener opens one component. What it returns puts the component into the stage.
type opener func(ctx context.Context) (add func(*stage), err error)

// open opens components side by side and puts them into the stage in the order of the list.
func (b *builder) open(ctx context.Context, list ...opener) error {
	adds := make([]func(*stage), len(list))
	err := sideBySide(ctx, len(list), func(ctx context.Context, i int) (err error) {
		adds[i], err = list[i](ctx)
		return err
	})
	for _, add := range adds {
		if add != nil { // also where another one failed: the stage closes it
			add(&b.stage)
		}
	}
	return err
}

// judgeOpeners are the run's validators, its scorers and its counter, each sorted by name.
func (b *builder) judgeOpeners() []opener {
	var list []opener
	for _, full := range slices.Sorted(maps.Keys(b.run.Validators)) {
		list = append(list, func(ctx context.Context) (func(*stage), error) { return b.validator(ctx, full) })
	}
	for _, full := range slices.Sorted(maps.Keys(b.run.Scorers)) {
		list = append(list, func(ctx context.Context) (func(*stage), error) { return b.scorer(ctx, full) })
	}
	for _, full := range slices.Sorted(maps.Keys(b.run.Counters)) {
		list = append(list, func(ctx context.Context) (func(*stage), error) { return b.counter(ctx, full) })
	}
	return list
}

func (b *builder) validator(ctx context.Context, full string) (func(*stage), error) {
	p, o, err := b.judgeOptions(full, b.run.Validators[full])
	if err != nil {
		return nil, err
	}
	v, err := p.OpenValidator(ctx, o)
	if err != nil {
		return nil, b.refused(err, o.Inputs)
	}
	return func(s *stage) {
		s.closers = append(s.closers, func() { _ = v.Close() })
		s.validators = append(s.validators, v)
	}, nil
}

func (b *builder) scorer(ctx context.Context, full string) (func(*stage), error) {
	p, o, err := b.judgeOptions(full, b.run.Scorers[full])
	if err != nil {
		return nil, err
	}
	if b.evaluates(full) {
		return b.evaluator(ctx, p, o)
	}
	sc, err := p.OpenScorer(ctx, o)
	if err != nil {
		return nil, b.refused(err, o.Inputs)
	}
	return func(s *stage) {
		s.closers = append(s.closers, func() { _ = sc.Close() })
		s.scorers = append(s.scorers, sc)
	}, nil
}

// sideBySide calls do for 0 to n-1 at once and waits for all of them. An error cancels only the calls behind it, and the
// first one in order is returned, so that timing does not decide which error is told.
func sideBySide(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	contexts, cancels := make([]context.Context, n), make([]context.CancelFunc, n)
	for i := range n {
		contexts[i], cancels[i] = context.WithCancel(ctx)
		defer cancels[i]()
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if errs[i] = do(contexts[i], i); errs[i] == nil {
				return
			}
			for _, cancel := range cancels[i+1:] {
				cancel()
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
