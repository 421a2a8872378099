package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/survey"
	"paceline/sweep"
)

// surveyed is what a run found out about its target's engine before the load.
type surveyed struct {
	named     engine.Kind
	detection engine.Detection
	warnings  []engine.Warning // what the run lacks
	notes     []engine.Warning // what it may lack
	probed    bool             // a token was asked for
}

// surveyRun finds out the engine of a run's target: by its list of models, and a few pages where that tells an engine or the
// run names one.
func surveyRun(ctx context.Context, t *place, run *config.Run) *surveyed {
	named, _ := engine.ParseKind(t.target.Engine) // checked with the run
	o := survey.Options{Engine: named, Models: t.models}
	if run.Target.EngineProbe {
		o.Token = &chat.Wire{Model: t.model, MaxTokensKey: run.Target.MaxTokensKey}
	}
	s := survey.Ask(ctx, t.client, o)
	out := &surveyed{named: named, detection: s.Detection, probed: o.Token != nil}
	out.warnings, out.notes = engine.Missing(s.Detection, s.Findings, needs(run), named)
	return out
}

// needs is what a run wants of its engine.
func needs(run *config.Run) engine.Needs {
	t := &run.Target
	asked := t.Usage && !t.StrictWire
	return engine.Needs{
		Usage: t.Stream && asked && len(run.Counters) == 0, Cached: !t.Stream || asked,
		Params: slices.Concat(slices.Collect(maps.Keys(run.Params)), slices.Collect(maps.Keys(run.Override))),
	}
}

// record is what run.json keeps; nil where nothing is known.
func (s *surveyed) record() *journal.Engine {
	d := &s.detection
	if d.Kind == engine.Unknown && len(s.warnings) == 0 {
		return nil
	}
	e := &journal.Engine{Named: string(s.named), Kind: string(d.Kind), Program: string(d.Program), Version: d.Version, By: d.By}
	for _, w := range s.warnings {
		e.Warnings = append(e.Warnings, journal.Warning{Code: w.Code, Message: w.Message})
	}
	return e
}

// tell shows before the load what the run lacks; who begins each line where there are several targets.
func (s *surveyed) tell(out io.Writer, who string) {
	for _, w := range s.warnings {
		fmt.Fprintf(out, "warning: %s%s\n", who, w.Message)
	}
	for _, w := range s.notes {
		fmt.Fprintf(out, "note: %s%s\n", who, w.Message)
	}
}

// propose tells of the preset that empties the cache of a sweep's target, where the sweep has none and the target tells its
// engine. It changes nothing, and a target that does not answer is left to the points.
func (s *sweepPlay) propose(ctx context.Context) {
	how, err := sweep.ParseBetween(s.plan.Between)
	if err != nil || how.Kind != sweep.BetweenNone || len(s.plan.Points) < 2 || s.flags.run.quiet || s.flags.run.json {
		return
	}
	spec, err := s.spec(&s.plan.Points[0], "")
	if err != nil {
		return
	}
	list, err := s.app.openPlaces(ctx, &spec.resolved.Run, time.Now())
	if err != nil {
		return
	}
	defer closePlaces(list)
	told := map[engine.Kind]bool{}
	for _, p := range list {
		named, _ := engine.ParseKind(p.target.Engine)
		d := survey.Ask(ctx, p.client, survey.Options{Engine: named, Models: p.models}).Detection
		word := d.Kind.BetweenPoints()
		if word == "" || told[d.Kind] {
			continue
		}
		told[d.Kind] = true
		fmt.Fprintf(s.app.Stderr, "note: the target is %s: `--between-points %s` empties its prefix cache between the points, and this sweep does not\n", d.Kind.Title(), word)
	}
}
