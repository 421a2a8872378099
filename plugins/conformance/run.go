package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"paceline/core/digest"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// Options say what is tested, and with what.
type Options struct {
	Name   string        // of the plugin, for the report
	SHA256 digest.SHA256 // of its file, for the report
	// Load loads the plugin into a host; it is called once for each engine.
	Load func(*host.Host) (*host.Plugin, error)
	Host host.Options

	// Inputs are files by the name of the input, or by COMPONENT:INPUT where components want different ones.
	Inputs map[string]string
	Config map[string]json.RawMessage // JSON objects by the name of the component; else {}
	Limits lock.Limits                // zero fields are the defaults

	// Emulated is the command of a worker for another processor, arm64 under emulation; empty: NoEmulation says why there is
	// none.
	Emulated    []string
	NoEmulation string

	OnResult func(Result) // may be nil
}

// suite is one test of one plugin.
type suite struct {
	o        Options
	report   Report
	main     *bench
	engines  []*engine
	inputs   map[string]*store.Input
	temp     string
	material []conversation

	workloads int // whose trajectories are in the material
}

// engine is another way to run the plugin; its bench is made when the first component needs it.
type engine struct {
	name  string
	opts  host.Options
	none  string // why there is no such engine here
	bench *bench
	err   error
}

// Run tests a plugin. Whatever the plugin does wrong is in the report; an error means that the test itself could not go on,
// or that ctx ended.
func Run(ctx context.Context, o Options) (*Report, error) {
	s := &suite{o: o, inputs: map[string]*store.Input{}, report: Report{Plugin: o.Name, SHA256: o.SHA256, Results: []Result{}}}
	defer s.close()
	var err error
	if s.temp, err = os.MkdirTemp("", "paceline-conformance-"); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(o.Inputs)) {
		if s.inputs[name], err = store.OpenInput(o.Inputs[name]); err != nil {
			delete(s.inputs, name)
			return nil, err
		}
	}
	if err := s.wholePlugin(ctx); err != nil {
		return nil, err
	}
	if s.main != nil {
		for _, about := range s.ordered() {
			s.component(ctx, about)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return &s.report, nil
}

func (s *suite) close() {
	for _, e := range s.engines {
		e.bench.close()
	}
	s.main.close()
	for _, in := range s.inputs {
		_ = in.Close()
	}
	if s.temp != "" {
		_ = os.RemoveAll(s.temp)
	}
}

// ordered gives the workloads first: judges are asked about what they planned.
func (s *suite) ordered() []*pb.Component {
	list := slices.Clone(s.main.about.GetComponents())
	slices.SortStableFunc(list, func(a, b *pb.Component) int { return int(min(a.GetKind(), 2)) - int(min(b.GetKind(), 2)) })
	return list
}

// skip is the outcome of a check that does not apply, with its reason.
type skip struct{ reason string }

// Error gives the reason.
func (s *skip) Error() string { return s.reason }

func skipf(format string, args ...any) error { return &skip{fmt.Sprintf(format, args...)} }

// unlike says what was expected and what was found.
func unlike(expected, format string, args ...any) error {
	return fmt.Errorf("expected %s, found %s", expected, fmt.Sprintf(format, args...))
}

// check runs one check and notes how it ended; it reports whether it went well.
func (s *suite) check(ctx context.Context, component, name string, run func(context.Context) error) bool {
	if ctx.Err() != nil {
		return false
	}
	from := time.Now()
	err := run(ctx)
	r := Result{Component: component, Check: name, State: OK, Took: time.Since(from)}
	if why, ok := errors.AsType[*skip](err); ok {
		r.State, r.Text = Skipped, oneLine(why.reason)
	} else if err != nil {
		r.State, r.Text = Failed, oneLine(err.Error())
	}
	if ctx.Err() != nil {
		return false // what failed may be its doing
	}
	s.report.Results = append(s.report.Results, r)
	if s.o.OnResult != nil {
		s.o.OnResult(r)
	}
	return err == nil
}

// crashed gives the failure of a plugin that did not answer at all; nil where it answered, be it with a status or faults.
func crashed(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*wire.FaultsError](err); ok {
		return nil
	}
	if e, ok := errors.AsType[*host.Error](err); ok && e.Cause == host.Status {
		return nil
	}
	return unlike("an answer", "%v", err)
}
