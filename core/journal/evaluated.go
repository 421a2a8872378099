package journal

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"paceline/core/verdict"
)

// Evaluated is whom an evaluation asked: its head, and what the target told of itself before.
type Evaluated struct {
	Head  EvaluationHead
	Facts []verdict.Fact
}

// Evaluations reads whom each evaluation of a run asked, in their order. One whose head is damaged is left out.
func Evaluations(dir string) ([]Evaluated, error) {
	numbers, err := evaluations(dir)
	if err != nil {
		return nil, err
	}
	var all []Evaluated
	for _, n := range numbers {
		var e Evaluated
		for r, err := range Lines(filepath.Join(dir, EvaluationFile(n))) {
			if _, hurt := errors.AsType[*Damage](err); hurt {
				continue
			}
			if err != nil {
				return nil, err
			}
			e.add(r.Line)
		}
		if e.Head.Rec != "" {
			all = append(all, e)
		}
	}
	return all, nil
}

// add takes one record; the others tell of what was asked, not of whom.
func (e *Evaluated) add(line []byte) {
	kind, err := kindOf(line)
	if err != nil {
		return
	}
	switch kind {
	case "evaluation":
		if json.Unmarshal(line, &e.Head) != nil {
			e.Head = EvaluationHead{}
		}
	case "probe":
		var p Probe
		if json.Unmarshal(line, &p) == nil {
			e.Facts = append(e.Facts, p.Fact)
		}
	}
}
