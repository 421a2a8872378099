package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"

	"paceline/core/digest"
	"paceline/core/verdict"
)

// EvaluationProgress is how far an evaluation had got that did not end.
type EvaluationProgress struct {
	Number int    // of its file
	State  []byte // of the last step
	Last   Evaluate
	Items  []verdict.ItemScore // of all steps
}

// Unfinished finds the last evaluation of a run by a component with that plugin digest, configuration and seed. nil: there is
// none, it was done, it made no step, or its state is not to be had.
func Unfinished(dir string, about *verdict.About, seed string, store Contents) (*EvaluationProgress, error) {
	list, err := evaluations(dir)
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		head, p, err := readEvaluation(dir, list[i])
		if err != nil {
			return nil, err
		}
		if head == nil || head.Component != about.Name || head.Digest != about.Digest || head.Seed != seed || !bytes.Equal(head.Config, about.Config) {
			continue
		}
		return p.from(store), nil
	}
	return nil, nil //nolint:nilnil // no such evaluation is no error
}

// from completes the progress with its state; nil where there is nothing to go on from.
func (p *EvaluationProgress) from(store Contents) *EvaluationProgress {
	if p == nil || p.Last.Done {
		return nil
	}
	if p.Last.State == nil {
		return p
	}
	state, ok := store.Get(*p.Last.State)
	if !ok || digest.Of(state) != *p.Last.State {
		return nil
	}
	p.State = state
	return p
}

// readEvaluation reads one file; damage in it costs what it held.
func readEvaluation(dir string, n int) (*EvaluationHead, *EvaluationProgress, error) {
	var head *EvaluationHead
	var p *EvaluationProgress
	for r, err := range Lines(filepath.Join(dir, EvaluationFile(n))) {
		if _, hurt := errors.AsType[*Damage](err); hurt {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		var kind struct {
			Rec string `json:"rec"`
		}
		if json.Unmarshal(r.Line, &kind) != nil {
			continue
		}
		switch kind.Rec {
		case "evaluation":
			head = &EvaluationHead{}
			if json.Unmarshal(r.Line, head) != nil {
				return nil, nil, nil
			}
		case "evaluate":
			var e Evaluate
			if json.Unmarshal(r.Line, &e) != nil {
				return nil, nil, nil
			}
			if p == nil {
				p = &EvaluationProgress{Number: n}
			}
			p.Items = append(p.Items, e.Items...)
			e.Items = nil
			p.Last = e
		}
	}
	return head, p, nil
}
