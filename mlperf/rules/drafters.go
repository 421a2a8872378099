package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"paceline/plugins/strict"
)

//go:embed data/drafters.json
var draftersJSON []byte

// leadTime is how many cohorts after its approval a drafter may first be used.
const leadTime = 2

// Drafter is an approved head for speculative decoding: known by its weights, or, where it has none, by its target's checksum
// and its configuration.
type Drafter struct {
	Benchmark      string          `json:"benchmark"` // model name
	Approved       Cohort          `json:"approved_cohort"`
	ModelID        string          `json:"model_id,omitempty"`
	WeightChecksum string          `json:"weight_checksum,omitempty"`
	TargetChecksum string          `json:"target_checksum,omitempty"`
	Configuration  json.RawMessage `json:"configuration,omitempty"`
}

// UsableFrom is the first cohort that may use it.
func (d Drafter) UsableFrom() Cohort { return d.Approved.Plus(leadTime) }

// Drafters are the approved ones of this version, or those of a file of the same form where one is given.
func Drafters(file []byte) ([]Drafter, error) {
	if len(file) == 0 {
		file = draftersJSON
	}
	var doc struct {
		Schema   string    `json:"schema"`
		Drafters []Drafter `json:"drafters"`
	}
	if err := strict.Decode(file, &doc); err != nil {
		return nil, fmt.Errorf("approved drafters: %w", err)
	}
	if doc.Schema != "paceline/drafters/v1" {
		return nil, fmt.Errorf("approved drafters: schema %q; want paceline/drafters/v1", doc.Schema)
	}
	return doc.Drafters, nil
}
