// Package builtin holds the profiles that ship with the plugin: coding is a fitted model (package strata), the others are
// written as users write theirs (package spec).
package builtin

import (
	"embed"
	"fmt"

	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
	"paceline/workloads/profiles/strata"
)

//go:embed *.json
var files embed.FS

// Names are the profiles, in the order in which people are told of them.
var Names = []string{"coding", "qa", "office", "conversation-replay", "deep-research", "code-generation", "aiperf-agentic", "aiperf-200k", "codex-swe-bench-pro", "claude-code", "trtllm-coder", "agentperf"}

// Profile is one profile.
type Profile struct {
	Name       string
	Provenance string // exact, estimated, provisional or recorded
	Note       string // what its numbers are, for people
	Source     shape.Source
	Spec       *spec.Profile // nil: coding
}

const codingNote = "a model of Applied Compute's 8,192 agentic coding traces, fitted to the whole published file"

// Get reads a profile.
func Get(name string) (*Profile, error) {
	if name == "coding" {
		text, err := files.ReadFile("coding.model.json")
		if err != nil {
			return nil, err
		}
		m, err := strata.Read(text)
		if err != nil {
			return nil, fmt.Errorf("coding: %w", err)
		}
		return &Profile{Name: name, Provenance: "exact", Note: codingNote, Source: m}, nil
	}
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	p, err := spec.Read(text, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Of(p), nil
}

// Of makes a profile of a user's.
func Of(p *spec.Profile) *Profile {
	return &Profile{Name: p.Name, Provenance: p.Provenance, Note: p.Source, Source: p, Spec: p}
}
