package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"paceline/plugins/strict"
)

//go:embed data/models.json
var modelsJSON []byte

// Status says whether results of a model can be submitted.
type Status string

// Statuses.
const (
	Submittable Status = "submittable"
	Superseded  Status = "superseded"  // runs and is judged, but is no longer taken
	Unpublished Status = "unpublished" // the rules leave out a value that a run needs
)

// Model is what the rules fix for one model. Shares are in percent, as the rules print them.
type Model struct {
	Name         string          `json:"name"` // as the checker spells it; also the name of its directory
	Status       Status          `json:"status"`
	Reason       string          `json:"reason,omitempty"` // where it is not submittable
	Repository   string          `json:"repository"`
	Params       json.RawMessage `json:"params"`         // of every request; whatever is not here must be absent. null: not published
	MaxNewTokens *uint32         `json:"max_new_tokens"` // nil: not published
	SWETemplate  string          `json:"swe_bench_template"`

	InlinePercent   float64     `json:"inline_percent"`    // least score, at every point
	SWEBenchPercent float64     `json:"swe_bench_percent"` // least mean of the four bands
	OutputTokens    TokenBounds `json:"output_tokens"`     // mean per turn, both ends included
	Reference       *Reference  `json:"reference,omitempty"`
}

// TokenBounds are the least and the largest mean of output tokens per turn.
type TokenBounds struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Reference is what the unquantized model reached.
type Reference struct {
	InlinePercent   float64 `json:"inline_percent"`
	SWEBenchPercent float64 `json:"swe_bench_percent"`
	OutputTokens    float64 `json:"output_tokens"`
}

// Models are the agentic models, by name.
func Models() ([]Model, error) {
	var doc struct {
		Schema string  `json:"schema"`
		Models []Model `json:"models"`
	}
	if err := strict.Decode(modelsJSON, &doc); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return doc.Models, nil
}

// FindModel is the model of that name.
func FindModel(name string) (Model, error) {
	all, err := Models()
	if err != nil {
		return Model{}, err
	}
	var known []string
	for _, m := range all {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return Model{}, fmt.Errorf("%q is no agentic model; want %s", name, strings.Join(known, ", "))
}
