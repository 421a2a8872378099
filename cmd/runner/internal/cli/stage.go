package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/session"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/sign"
	"paceline/plugins/store"
	"paceline/plugins/wire"
)

// stage is everything that a run or a judging works with, opened: plugins, inputs, components.
type stage struct {
	host       *host.Host
	seed       uint64
	seeds      *journal.Seeds  // the published set that seed is of; nil: none
	workloads  []*openWorkload // in the order of the run's parts
	validators []judge.Validator
	scorers    []judge.Scorer
	counters   []judge.Counter
	evaluators []judge.Evaluator
	lock       *lock.Lock // as resolved
	state      journal.LockState
	plugins    []journal.Plugin
	inputs     []journal.Input
	closers    []func()
}

func (s *stage) close() {
	for _, c := range slices.Backward(s.closers) {
		c()
	}
}

// openStage opens what a run needs, in an order that refuses early: digests and the lock before any guest code runs, and
// nothing of the load before the inputs passed. It calls checked once files and lock hold, before the first guest code.
func (a *app) openStage(ctx context.Context, spec *runSpec, checked func()) (_ *stage, err error) {
	run := &spec.resolved.Run
	b := &builder{app: a, run: run, origins: spec.resolved.Origins, strict: spec.locked, quiet: spec.quiet,
		pinning: pinning{plainHTTP: spec.plainHTTP, silent: spec.quiet}}
	defer func() {
		if err != nil {
			b.stage.close()
		}
	}()
	if err = b.bindSeeds(); err != nil {
		return nil, err
	}
	if b.policy, err = readPolicy(spec.policy); err != nil {
		return nil, err
	}
	if b.locked, err = readLock(spec); err != nil {
		return nil, err
	}
	if pins(b.locked, config.DefaultCheck) {
		b.addChecks(spec.resolved.Origins)
	}
	names := append(workloadNames(run), judgeNames(run)...)
	if err := b.load(ctx, append(names, presetPlugins(spec.resolved.Preset)...), spec.dev); err != nil {
		return nil, err
	}
	if err := b.samePreset(spec.resolved.Preset); err != nil {
		return nil, err
	}
	if err := b.openInputs(); err != nil {
		return nil, err
	}
	if err := b.openJudgeInputs(); err != nil {
		return nil, err
	}
	if err := b.enforce(); err != nil {
		return nil, err
	}
	checked()
	if err := b.describe(ctx); err != nil {
		return nil, err
	}
	if err := b.configure(true); err != nil {
		return nil, err
	}
	return &b.stage, b.open(ctx, append(b.workloadOpeners(), b.judgeOpeners()...)...)
}

// pins reports whether a lock lets a plugin take part that nobody named: there is none, or it has the plugin.
func pins(l *lock.Lock, plugin string) bool {
	return l == nil || slices.ContainsFunc(l.Plugins, func(p lock.Plugin) bool { return p.Name == plugin })
}

// again takes from a finished run what it was opened with, beside its configuration.
func (b *builder) again(files *session.Files) (err error) {
	if b.stage.seed, err = seedOf(files.Config.Seed); err != nil {
		return fail(exitInput, err)
	}
	b.byDefault = addedByDefault(files.Config.Origins)
	return nil
}

// openJudges opens the judges of a finished run. Unless they were changed on the command line, the run's own lock holds.
func (a *app) openJudges(ctx context.Context, dir string, files *session.Files, run config.Run, changed, allowNative bool) (_ *stage, err error) {
	b := &builder{app: a, run: &run, quiet: true, judges: true, allowNative: allowNative, pinning: pinning{silent: true}}
	defer func() {
		if err != nil {
			b.stage.close()
		}
	}()
	if err := b.again(files); err != nil {
		return nil, err
	}
	if !changed {
		if b.locked, err = lock.Read(filepath.Join(dir, journal.LockFile)); err != nil {
			return nil, fail(exitInput, err)
		}
	}
	if err := b.load(ctx, judgeNames(&run), nil); err != nil {
		return nil, err
	}
	if err := b.sameJudgeInputs(files.Config.Inputs); err != nil {
		return nil, err
	}
	if err := b.openJudgeInputs(); err != nil {
		return nil, err
	}
	if err := b.enforce(); err != nil {
		return nil, err
	}
	if err := b.describe(ctx); err != nil {
		return nil, err
	}
	if err := b.configure(false); err != nil {
		return nil, err
	}
	return &b.stage, b.open(ctx, b.judgeOpeners()...)
}

func judgeNames(run *config.Run) []string {
	return slices.Concat(slices.Sorted(maps.Keys(run.Validators)), slices.Sorted(maps.Keys(run.Scorers)), slices.Sorted(maps.Keys(run.Counters)))
}

// readLock reads the lock that holds: --lock, else paceline.lock beside the run file. A missing one is nil, unless it was
// named.
func readLock(spec *runSpec) (*lock.Lock, error) {
	path := spec.lock
	if path == "" {
		if spec.dir == "" {
			return nil, nil //nolint:nilnil // no lock is no error
		}
		path = filepath.Join(spec.dir, lock.FileName)
	}
	l, err := lock.Read(path)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	if l == nil && spec.lock != "" {
		return nil, failHint(exitInput, fmt.Errorf("no lock at %s", path), "`runner plugin lock RUNFILE` makes one")
	}
	return l, nil
}

// capabilities are what naming an input grants where no lock says otherwise.
func capabilities(c lock.Component, inputs int) []lock.Capability {
	if inputs > 0 && slices.Contains(c.Capabilities, lock.CapabilityInputs) {
		return []lock.Capability{lock.CapabilityInputs}
	}
	return nil
}

// module is one plugin in use.
type module struct {
	file   *store.Module
	loaded *host.Plugin
	wire   *wire.Plugin

	granted []lock.Capability // to a native plugin
	found   sign.Found        // who signed it
}

// splitName cuts a component's full name; a plugin may be one of the run file's own names.
func splitName(full string, named map[string]string) (plugin, component string, err error) {
	if cut := strings.LastIndexByte(full, '/'); cut > 0 {
		if _, ok := named[full[:cut]]; ok {
			return full[:cut], full[cut+1:], nil
		}
	}
	return store.Split(full)
}
