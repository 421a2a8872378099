// Package catalog tells what the shipped profiles are: how good their numbers are, where they come from, and how long the
// conversations are that they draw.
package catalog

import (
	"context"

	"paceline/profile/measure"
	"paceline/profile/verify"
	"paceline/workloads/profiles/builtin"
)

// draws is how many conversations the medians are of.
const draws = 1000

// Entry is one profile.
type Entry struct {
	Name       string `json:"name"`
	Preset     string `json:"preset"`
	Provenance string `json:"provenance"`
	Source     string `json:"source"`
	Medians    Shape  `json:"medians"`
}

// Shape is the median conversation, each figure for itself.
type Shape struct {
	Turns       float64 `json:"turns"`
	FirstPrompt float64 `json:"first_prompt_tokens"`
	LastPrompt  float64 `json:"last_prompt_tokens"`
	Output      float64 `json:"output_tokens"`
	WaitSeconds float64 `json:"wait_s"`
}

// All gives every shipped profile, in the order in which people are told of them.
func All(ctx context.Context) ([]Entry, error) {
	var out []Entry
	for _, name := range builtin.Names {
		p, err := builtin.Get(name)
		if err != nil {
			return nil, err
		}
		drawn, err := verify.Draw(ctx, p, draws, 0, false, func(int) {})
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{name, "profiles/" + name, p.Provenance, p.Note, shapeOf(drawn.Summary)})
	}
	return out, nil
}

func shapeOf(s *measure.Summary) Shape {
	median := func(name string) float64 {
		for _, q := range s.Quantities {
			if q.Name == name && q.Kind != measure.Turn {
				return q.Quantiles[2]
			}
		}
		return 0
	}
	return Shape{median("turns"), median("input"), median("context"), median("output_tokens"), median("wait_ms") / 1000}
}
