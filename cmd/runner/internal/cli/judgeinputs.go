package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wire"
)

// splitInputs parts --input for judges, of flags or of the run file, from those for workloads.
func (f *runFlags) splitInputs() (judges, workloads []string) {
	named := slices.Concat(f.judges, f.counters, f.scorers, f.validators)
	for _, pair := range f.inputs {
		name, _, _ := strings.Cut(pair, "=")
		if of, _, told := strings.Cut(name, ":"); told && slices.Contains(named, of) {
			judges = append(judges, pair)
		} else {
			workloads = append(workloads, pair)
		}
	}
	return judges, workloads
}

// judgesOf are the judges that a run file names itself. What is wrong with the file is told when it is read for the run.
func judgesOf(arg string) []string {
	if arg == "" || isPreset(arg) {
		return nil
	}
	l, err := config.File(arg)
	if err != nil {
		return nil
	}
	r, err := config.Resolve(l)
	if err != nil {
		return nil
	}
	return judgeNames(&r.Run)
}

// judgeInputs reads --input COMPONENT:name=FILE of judges.
func judgeInputs(pairs []string) (config.Layer, error) {
	l := config.Layer{Name: "--input"}
	for _, pair := range pairs {
		name, path, ok := strings.Cut(pair, "=")
		of, input, told := strings.Cut(name, ":")
		if !ok || !told || of == "" || input == "" || strings.Contains(name, `"`) {
			return l, fail(exitUsage, fmt.Errorf("--input %q: want COMPONENT:name=FILE", pair))
		}
		l.Put(`judging.inputs."`+of+`"."`+input+`"`, path)
	}
	return l, nil
}

// openJudgeInputs opens and digests the files of judges, and holds their names to those of the components. A judge that lacks
// one says so itself, when it is opened.
func (b *builder) openJudgeInputs() error {
	b.files = map[string][]wire.Input{}
	for _, full := range slices.Sorted(maps.Keys(b.run.Judging.Inputs)) {
		plugin, component, err := splitName(full, b.run.Plugins)
		if err != nil {
			return fail(exitUsage, err)
		}
		if b.modules[plugin] == nil {
			return failHint(exitUsage, fmt.Errorf("judging.inputs names %s, which judges nothing here", full), "leave it out, or name it among the judges")
		}
		c, _ := b.modules[plugin].loaded.Manifest().Component(component)
		given := b.run.Judging.Inputs[full]
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(c.Inputs, name) {
				return failHint(exitUsage, fmt.Errorf("%s has no input %q", full, name), "its inputs: "+strings.Join(c.Inputs, ", "))
			}
			in, err := store.OpenInput(given[name])
			if err != nil {
				return fail(exitInput, err)
			}
			b.stage.closers = append(b.stage.closers, func() { _ = in.Close() })
			b.files[full] = append(b.files[full], wire.Input{Name: name, File: in.File, Size: in.Size, SHA256: in.SHA256, Path: given[name]})
			b.actual.Inputs = append(b.actual.Inputs, in.Entry(full, name))
			b.stage.inputs = append(b.stage.inputs,
				journal.Input{Workload: full, Name: name, Path: filepath.Base(given[name]), Size: in.Size, SHA256: in.SHA256})
		}
	}
	return nil
}

// sameJudgeInputs makes sure that a judge of a finished run has the files again that it had; the lock tells whether they are
// the same.
func (b *builder) sameJudgeInputs(had []journal.Input) error {
	for _, in := range had {
		if !slices.Contains(judgeNames(b.run), in.Workload) || b.run.Judging.Inputs[in.Workload][in.Name] != "" {
			continue
		}
		return failHint(exitUsage, fmt.Errorf("%s was given the input %s, %s of sha256 %s", in.Workload, in.Name, in.Path, in.SHA256),
			fmt.Sprintf("give --input %s:%s=FILE", in.Workload, in.Name))
	}
	return nil
}

// given counts the files of a plugin's judges.
func (b *builder) given(plugin string) int {
	n := 0
	for full, list := range b.files {
		if of, _, _ := splitName(full, b.run.Plugins); of == plugin {
			n += len(list)
		}
	}
	return n
}

// judgeOptions are the options of a judge, with its workers and files.
func (b *builder) judgeOptions(full string, settings map[string]any) (*wire.Plugin, wire.Options, error) {
	p, o, err := b.options(full, settings)
	o.Workers, o.Inputs = b.run.Judging.Workers, b.files[full]
	if len(o.Inputs) > 0 && o.Granted == nil {
		o.Granted = []lock.Capability{lock.CapabilityInputs}
	}
	return p, o, err
}
