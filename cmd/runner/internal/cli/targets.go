package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/sched"
	"paceline/core/session"
)

// place is one target of a run: the one, or one of several.
type place struct {
	name   string // empty: the run has one
	target config.Target

	*reached
	asked  *endpoint.Client // by chat completions, whatever the API of the load
	engine *surveyed

	counting  *endpoint.Client // asks its tokenizer; nil: nobody does
	tokenizer sched.Tokenizer  // nil: newest answers are not counted
}

// who begins a message about a target where there are several.
func (p *place) who() string {
	if p.name == "" {
		return ""
	}
	return "target " + p.name + ": "
}

// places lists the targets of a run as the load asks them.
func places(run *config.Run) []*place {
	one := loaded(run)
	if !run.Several() {
		return []*place{{target: one}}
	}
	var list []*place
	for i := range run.Targets {
		at := run.At(&run.Targets[i])
		at.API = one.API
		list = append(list, &place{name: run.Targets[i].Name, target: at})
	}
	return list
}

// openPlaces opens each target of a run, for what is asked outside the load. Whoever gets them closes them.
func (a *app) openPlaces(ctx context.Context, run *config.Run, epoch time.Time) ([]*place, error) {
	list := places(run)
	for _, p := range list {
		var err error
		if p.reached, err = a.reach(ctx, p.target, epoch); err != nil {
			closePlaces(list)
			return nil, err
		}
	}
	return list, nil
}

func closePlaces(list []*place) {
	for _, p := range list {
		if p.reached != nil {
			p.client.Close()
		}
		if p.counting != nil {
			p.counting.Close()
		}
	}
}

// asking are the targets of a run that are being opened beside the plugins.
type asking struct {
	cancel context.CancelFunc
	done   chan struct{} // closed once the rest is there
	places []*place
	err    error // of the first one that could not be reached
}

// ask begins to open the targets and to find out their engines. One of answer and drop must be called.
func (a *app) ask(ctx context.Context, run *config.Run, epoch time.Time) *asking {
	ctx, cancel := context.WithCancel(ctx)
	q := &asking{cancel: cancel, done: make(chan struct{}), places: places(run)}
	go func() {
		defer close(q.done)
		errs := make([]error, len(q.places))
		var all sync.WaitGroup
		for i, p := range q.places {
			all.Go(func() {
				if p.reached, errs[i] = a.reach(ctx, p.target, epoch); errs[i] == nil {
					p.engine = surveyRun(ctx, p, run)
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			if q.err == nil {
				q.err = err
			}
		}
		if q.err == nil {
			q.err = oneModel(q.places)
		}
	}()
	return q
}

// answer waits for what came of it. Targets that are returned are the caller's to close.
func (q *asking) answer() ([]*place, error) {
	<-q.done
	q.cancel()
	if q.err != nil {
		closePlaces(q.places)
	}
	return q.places, q.err
}

// drop gives the question up.
func (q *asking) drop() {
	q.cancel()
	<-q.done
	closePlaces(q.places)
}

// oneModel refuses targets that serve different models: their figures would be of different work.
func oneModel(list []*place) error {
	for _, p := range list[1:] {
		if first := list[0]; p.model != first.model {
			return failHint(exitUsage, fmt.Errorf("target %s serves the model %q, and target %s %q: one run has one model", first.name, first.model, p.name, p.model),
				"--model names the one that all of them serve")
		}
	}
	return nil
}

// engines are what the targets' engines are, and what the run lacks of them.
func engines(list []*place) *journal.Engine {
	first := list[0].engine.record()
	if len(list) == 1 {
		return first
	}
	all := &journal.Engine{}
	if differ := otherEngines(list); differ != nil {
		all.Warnings = append(all.Warnings, *differ)
	} else if first != nil {
		*all = *first
		all.Warnings = nil
	}
	for _, p := range list {
		for _, w := range p.engine.warnings {
			all.Warnings = append(all.Warnings, journal.Warning{Code: w.Code, Message: p.who() + w.Message})
		}
	}
	if all.Kind == "" && len(all.Warnings) == 0 {
		return nil
	}
	return all
}

// otherEngines is the warning about targets of different engines; nil: they are alike.
func otherEngines(list []*place) *journal.Warning {
	title := func(p *place) string {
		d := &p.engine.detection
		text := d.Kind.Title()
		if d.Version != "" {
			text += " " + d.Version
		}
		return text
	}
	for _, p := range list[1:] {
		if a, b := title(list[0]), title(p); a != b {
			return &journal.Warning{Code: "targets_differ",
				Message: fmt.Sprintf("target %s is %s, and target %s is %s: results of the whole run are of no one engine; compare those of each target", list[0].name, a, p.name, b)}
		}
	}
	return nil
}

// tellEngines shows before the load what the run lacks of its targets.
func tellEngines(out io.Writer, list []*place, quiet bool) {
	if quiet {
		return
	}
	if differ := otherEngines(list); differ != nil {
		fmt.Fprintf(out, "warning: %s\n", differ.Message)
	}
	more := false
	for _, p := range list {
		p.engine.tell(out, p.who())
		more = more || len(p.engine.notes) > 0 && !p.engine.probed
	}
	if more {
		fmt.Fprintln(out, "note: --engine-probe or `runner doctor` asks for a token and finds out more")
	}
}

// recordTargets writes targets into what is known of a run beforehand; of one target nothing.
func recordTargets(c *journal.RunConfig, s *sched.Config, run *config.Run, list []*place) {
	if !run.Several() {
		return
	}
	for i, p := range list {
		info := p.client.Info()
		weight := uint32(*run.Targets[i].Weight)
		s.Targets = append(s.Targets, sched.Target{Name: p.name, Weight: weight})
		c.Targets = append(c.Targets, journal.Target{Name: p.name, Endpoint: info.URL, Weight: weight,
			Accelerators: run.Targets[i].Accelerators, TLSVerify: info.TLSVerify, Engine: p.engine.record()})
	}
}

// shownTargets are the entries of targets for files: without secrets.
func shownTargets(run *config.Run, list []*place) []config.Place {
	var shown []config.Place
	for i, p := range list {
		x := run.Targets[i]
		x.URL, x.Metrics = p.client.Info().URL, shownMetrics(x.Metrics)
		shown = append(shown, x)
	}
	return shown
}

// sessionTargets readies the targets for the load: by which client each is probed, and what reads its metrics. What it
// returns last frees that.
func (a *app) sessionTargets(list []*place, st *stage, c *sched.Config, epoch time.Time) (targets []session.Target, free func(), err error) {
	var closers []func()
	free = func() {
		for _, f := range closers {
			f()
		}
	}
	for _, p := range list {
		if p.asked, err = st.chatClient(p.client, p.target); err != nil {
			free()
			return nil, nil, err
		}
		meter, closeMeter, err := a.metrics(p.target, epoch)
		if err != nil {
			free()
			return nil, nil, err
		}
		closers = append(closers, closeMeter)
		targets = append(targets, session.Target{Name: p.name, Issuer: p.client, Prober: prober(p.asked, c), Meter: meter, Tokenizer: p.tokenizer})
	}
	return targets, free, nil
}

// evaluationsOf is what scorers ask that evaluate: the one target; of several nobody, and no such scorer is there.
func evaluationsOf(ctx context.Context, run *config.Run, list []*place, epoch time.Time) (*session.Evaluations, error) {
	if run.Several() {
		return nil, nil //nolint:nilnil // nobody is asked
	}
	return evaluations(ctx, run, list[0].asked, list[0].model, epoch)
}

// noEvaluation refuses scorers that ask the target themselves where there are several: they know of one.
func (s *stage) noEvaluation(run *config.Run) error {
	if !run.Several() || len(s.evaluators) == 0 {
		return nil
	}
	return failHint(exitUsage, fmt.Errorf("scorer %s asks the target itself, and the run has %d", s.evaluators[0].About().Name, len(run.Targets)),
		"leave it out, and judge the run afterwards: runner judge DIR --score COMPONENT --target URL")
}

// oneSystem refuses several targets where the preset's rules measure one system behind one endpoint.
func oneSystem(r *config.Resolved) error {
	if r.Preset == nil || r.Preset.Rules == nil || !r.Run.Several() {
		return nil
	}
	return failHint(exitUsage, fmt.Errorf("preset %s: %w", r.Preset.Name, severalRefused(&r.Run)), "give one --target, or a run without the preset")
}

func severalRefused(run *config.Run) error {
	return fmt.Errorf("its rules measure one system behind one endpoint, and the run has %d targets", len(run.Targets))
}
