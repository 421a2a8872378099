package wire

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

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

	mu      sync.Mutex
	workdir string
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

// Evaluate implements judge.Evaluator.
func (e *Evaluator) Evaluate(ctx context.Context, step judge.Step) (judge.Stepped, error) {
	dir, err := e.dir()
	if err != nil {
		return judge.Stepped{}, err
	}
	request := &pb.EvaluateRequest{State: step.State, Workdir: dir, Cancel: step.Cancel}
	if t := step.Target; t != nil {
		request.Target = &pb.Target{Url: t.URL, Token: t.Token, Model: t.Model, Params: t.Params}
	}
	response, err := pb.NewScorerClient(e.comp.Conn()).Evaluate(ctx, request)
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

// dir is the folder that a component gets which was granted one: private, empty at first, gone with the component.
func (e *Evaluator) dir() (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.workdir != "" || !slices.Contains(e.opts.Granted, lock.CapabilityWorkdir) {
		return e.workdir, nil
	}
	dir, err := os.MkdirTemp("", "paceline-workdir-")
	if err != nil {
		return "", fmt.Errorf("make the working folder of %s: %w", e.opts.FullName, err)
	}
	e.workdir = dir
	return dir, nil
}

// Close ends the component's process and removes its folder.
func (e *Evaluator) Close() error {
	err := e.opened.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.workdir != "" {
		_ = os.RemoveAll(e.workdir) // what is left of it is in the system's folder of temporary files
		e.workdir = ""
	}
	return err
}
