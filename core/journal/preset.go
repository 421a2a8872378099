package journal

import (
	"encoding/json"

	"paceline/core/digest"
)

// Preset is what a run took from a preset of a plugin.
type Preset struct {
	Name       string          `json:"name"`   // plugin/preset
	Plugin     string          `json:"plugin"` // as the run names it
	SHA256     digest.SHA256   `json:"sha256"` // of the plugin's file; of a native plugin's manifest
	Run        json.RawMessage `json:"run"`    // the fragment of a run file, components by their full names
	Thresholds []Threshold     `json:"thresholds"`
	Rules      *Rules          `json:"rules,omitempty"`      // nil: it follows nobody's
	Departures []Departure     `json:"departures,omitempty"` // sorted by key
	// Refused are what the rules refuse and the run was told to play all the same.
	Refused []string `json:"refused,omitempty"`
}

// Rules are what the rules of a benchmark ask of a run of a preset; schemas/manifest/v1 has their meaning.
type Rules struct {
	Of            string                   `json:"of"`
	Status        string                   `json:"status"` // submittable, superseded, unpublished
	Reason        string                   `json:"reason,omitempty"`
	Missing       []string                 `json:"missing,omitempty"`
	WholePasses   bool                     `json:"whole_passes,omitempty"`
	SeedSet       bool                     `json:"seed_set,omitempty"`
	ReferenceBody bool                     `json:"reference_body,omitempty"`
	Inputs        map[string]digest.SHA256 `json:"inputs,omitempty"`
}

// Departure is a key of the run file that has another value than the preset says.
type Departure struct {
	Key    string          `json:"key"`
	Preset json.RawMessage `json:"preset"` // null: it has none
	Run    json.RawMessage `json:"run"`    // null: the run took it away
	Origin string          `json:"origin"` // where the run's value came from
}

// Seeds are a published set of seeds that a run was bound to. Seeds are unsigned and use all 64 bits, so they are text.
type Seeds struct {
	ID          string `json:"id"`
	Cohort      string `json:"cohort"`        // in which the set was published
	Target      string `json:"target_cohort"` // for which the run is made
	Scheduler   string `json:"scheduler_rng_seed"`
	SampleIndex string `json:"sample_index_rng_seed"`
	Model       string `json:"model_seed"`
}

// Threshold is one bound of a preset, on a figure of the metrics or on what a judge tells. Bounds are inclusive, in micro-units;
// nil is none.
type Threshold struct {
	Metric    string `json:"metric,omitempty"`    // path in schemas/metrics/v1
	Component string `json:"component,omitempty"` // full name of a scorer or validator
	Value     string `json:"value,omitempty"`     // of the component
	MinMicro  *int64 `json:"min_micro,omitempty"`
	MaxMicro  *int64 `json:"max_micro,omitempty"`
	// FromUsers and ToUsers say for how many users the bound holds; 0: no end on that side.
	FromUsers int `json:"from_users,omitempty"`
	ToUsers   int `json:"to_users,omitempty"`
}

// Holds says whether the bound is one for so many users.
func (t *Threshold) Holds(users int) bool {
	return users >= t.FromUsers && (t.ToUsers == 0 || users <= t.ToUsers)
}
