package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"paceline/core/judge"
	"paceline/core/verdict"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// Evaluates reports whether a component is a scorer that evaluates: one that asks for the capability target.
func Evaluates(c lock.Component) bool {
	return c.Kind == lock.KindScorer && slices.Contains(c.Capabilities, lock.CapabilityTarget)
}

// Evaluator is an opened scorer that drives the target itself: a judge.Evaluator.
type Evaluator struct {
	*opened
	about verdict.About
}

// OpenEvaluator opens a scorer that was granted the target. All its steps go to one process, as long as that lives.
func (p *Plugin) OpenEvaluator(ctx context.Context, opts Options) (*Evaluator, error) {
	if !slices.Contains(opts.Granted, lock.CapabilityTarget) {
		return nil, fmt.Errorf("component %s of plugin %s asks the target, and was not granted that", opts.Component, p.host.Name())
	}
	opts.Workers = 1
	o, about, err := p.openJudge(ctx, lock.KindScorer, opts)
	if err != nil {
		return nil, err
	}
	return &Evaluator{opened: o, about: about}, nil
}

// About implements judge.Evaluator.
func (e *Evaluator) About() verdict.About { return e.about }

// ask sends a step to the process that is there. The folder of one that was granted a folder is the process's own.
func (e *Evaluator) ask(ctx context.Context, step judge.Step) (*pb.EvaluateResponse, error) {
	inst, err := e.comp.Fresh(ctx) // a native judge's: the one that is there
	if err != nil {
		return nil, err
	}
	request := &pb.EvaluateRequest{State: step.State, Cancel: step.Cancel}
	if slices.Contains(e.opts.Granted, lock.CapabilityWorkdir) {
		request.Workdir = inst.WorkDir()
	}
	if t := step.Target; t != nil {
		request.Target = &pb.Target{Url: t.URL, Token: t.Token, Model: t.Model, Params: t.Params}
	}
	response, err := pb.NewScorerClient(inst).Evaluate(ctx, request)
	return response, errors.Join(err, inst.Close())
}

// Evaluate implements judge.Evaluator.
func (e *Evaluator) Evaluate(ctx context.Context, step judge.Step) (judge.Stepped, error) {
	response, err := e.ask(ctx, step)
	if err != nil {
		return judge.Stepped{}, err
	}
	if n := len(response.GetState()); n > lock.MaxState {
		return judge.Stepped{}, e.malformed("Evaluate", "a state of %d bytes, and %d are allowed", n, lock.MaxState)
	}
	items, err := e.items("Evaluate", response.GetItems())
	if err != nil {
		return judge.Stepped{}, err
	}
	out := judge.Stepped{State: response.GetState(), Done: response.GetDone(), ItemsDone: response.GetItemsDone(),
		ItemsTotal: response.GetItemsTotal(), Status: response.GetStatus(), Items: items}
	if said := response.GetScore(); said != nil {
		score := scoreOf(said)
		out.Score = &score
	}
	if out.Done && out.Score == nil {
		return out, e.malformed("Evaluate", "done, and there is no score")
	}
	return out, nil
}
