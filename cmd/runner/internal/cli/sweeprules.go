package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/mlperf/plan"
	"paceline/mlperf/rules"
	"paceline/sweep"
)

// sweepRules are what a plan says that its curve is made by.
type sweepRules interface {
	// apply holds a plan to the rules and fills in what they fix of its points.
	apply(p *sweep.Plan) error
	// guard lists what they would refuse of the run; refuse says whether the sweep must not start then.
	guard(run *config.Run, st *stage, unofficial []string) (notes []string, refuse bool)
	accuracyScorer() string // empty: none
	turns() (perPass, tokensPerTurn int64)
}

// rulesOf finds the rules of a plan.
func rulesOf(p *sweep.Plan) (sweepRules, error) {
	switch {
	case p.Rules == nil:
		return noRules{}, nil
	case p.Rules.Name != plan.Name:
		return nil, fmt.Errorf("rules.name: %q is not known; want %s", p.Rules.Name, plan.Name)
	}
	s, err := plan.ParseSettings(p.Rules.Settings)
	return mlperfRules{s}, err
}

// noRules are those of a plan that names none.
type noRules struct{}

func (noRules) apply(*sweep.Plan) error                              { return nil }
func (noRules) guard(*config.Run, *stage, []string) ([]string, bool) { return nil, false }
func (noRules) accuracyScorer() string                               { return "" }
func (noRules) turns() (perPass, tokensPerTurn int64)                { return 0, 0 }

// mlperfRules are MLPerf's.
type mlperfRules struct{ plan.Settings }

func (m mlperfRules) accuracyScorer() string { return m.Accuracy.Scorer }

func (m mlperfRules) turns() (perPass, tokensPerTurn int64) {
	return rules.ClientTurns, int64(meanTokens(m.Model))
}

// meanTokens is about how many tokens a model's turn has.
func meanTokens(name string) float64 {
	model, err := rules.FindModel(name)
	if err != nil {
		return 0
	}
	if model.Reference != nil {
		return model.Reference.OutputTokens
	}
	return (model.OutputTokens.Min + model.OutputTokens.Max) / 2
}

func (m mlperfRules) apply(p *sweep.Plan) error {
	var points []plan.Point
	var errs []error
	for i := range p.Points {
		x := &p.Points[i]
		region, least := m.Region(x.Concurrency), seconds(rules.MinDuration(x.Concurrency))
		if x.Region == "" {
			x.Region = region
		}
		if x.Region != region {
			errs = append(errs, fmt.Errorf("points[%d].region is %s, and %d users lie in %s: correct it, or leave it out", i, x.Region, x.Concurrency, region))
		}
		if x.MinSeconds == 0 {
			x.MinSeconds = least
		}
		if x.MinSeconds < least && !m.Rehearsal {
			errs = append(errs, fmt.Errorf("points[%d].min_seconds is %d, and the rules want %d for %d users", i, x.MinSeconds, least, x.Concurrency))
		}
		points = append(points, plan.Point{Concurrency: x.Concurrency, Spare: x.Spare, Level3: x.Accuracy})
	}
	return errors.Join(append(errs, m.Check(points), m.places(p))...)
}

// places fills in the regions that the drawing shows.
func (m mlperfRules) places(p *sweep.Plan) error {
	var list []sweep.Region
	for _, x := range m.Places() {
		list = append(list, sweep.Region{Name: x.Name, Title: x.Title, First: x.In.First, Last: x.In.Last, Margin: x.Margin})
	}
	if p.Regions == nil {
		p.Regions = list
	}
	if !slices.Equal(p.Regions, list) {
		return errors.New("regions are not those of the rules: leave them out")
	}
	return nil
}

func (m mlperfRules) guard(run *config.Run, st *stage, unofficial []string) (notes []string, refuse bool) {
	params, _ := config.JSON(run.Params) // it was encoded before
	r := plan.Run{
		Salt: run.Salt, History: run.History, Order: run.Load.Order, Window: run.Window.Kind, Stream: run.Target.Stream, Delays: run.Load.Delays,
		StopEarly: run.Load.StopOnFirstIdle, Asked: run.Load.Trajectories, Trajectories: st.trajectories(), MaxTokens: run.MaxTokens, Params: params,
		Override: len(run.Override) > 0, Unofficial: unofficial, RoutingHeaders: run.RoutingHeaders,
		Judges: slices.Concat(slices.Sorted(maps.Keys(run.Scorers)), slices.Sorted(maps.Keys(run.Validators))),
	}
	m.target(&r, run)
	if i := slices.IndexFunc(st.inputs, func(in journal.Input) bool { return in.Name == "dataset" }); i >= 0 {
		r.Dataset = &st.inputs[i].SHA256
	}
	notes = m.Guard(&r)
	if run.Several() {
		notes = append(notes, "targets: "+severalRefused(run).Error())
	}
	return notes, len(notes) > 0 && !m.Rehearsal
}

// guard puts the run together, opens it without sending anything, and holds it to the rules and to the room on the disk.
func (s *sweepPlay) guard(ctx context.Context) ([]string, error) {
	first := s.plan.Points[0]
	first.Accuracy = true // so that every judge is opened once
	spec, err := s.spec(&first, "")
	if err != nil {
		return nil, err
	}
	if s.run, err = runDigest(spec.resolved.Run); err != nil {
		return nil, err
	}
	st, err := s.app.openStage(ctx, spec, func() {})
	if err != nil {
		return nil, err
	}
	defer st.close()
	notes, refuse := s.rules.guard(&spec.resolved.Run, st, st.state.Unofficial)
	if refuse {
		return nil, failHint(exitInput, errors.New("the rules would refuse this sweep afterwards:\n"+strings.Join(notes, "\n")),
			"rehearsal: true in the plan's settings plays it all the same; its results are not official")
	}
	return notes, s.room(st)
}

// room refuses a sweep that would fill the disk.
func (s *sweepPlay) room(st *stage) error {
	turns, tokens := s.rules.turns()
	if turns == 0 || st.trajectories() != rules.Trajectories {
		turns, tokens = 50*int64(min(st.trajectories(), 1<<32)), 500
	}
	var dataset, sum int64
	for _, in := range st.inputs {
		dataset += in.Size
	}
	for i := range s.plan.Points {
		sum += s.plan.Points[i].Bytes(turns, tokens, dataset)
	}
	if free, ok := sweep.Free(existing(s.command.Flags().Lookup("out").Value.String())); ok && free < sum {
		return failHint(exitInput, fmt.Errorf("the sweep may write %d MiB, and %d MiB are free", sum>>20, free>>20), "make room, or give --out on another disk")
	}
	return nil
}

// existing is the nearest folder above a path that is there.
func existing(path string) string {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
}
