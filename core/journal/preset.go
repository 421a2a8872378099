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
}

// Threshold is one bound of a preset, on a figure of the metrics or on what a judge tells. Bounds are inclusive, in micro-units;
// nil is none.
type Threshold struct {
	Metric    string `json:"metric,omitempty"`    // path in schemas/metrics/v1
	Component string `json:"component,omitempty"` // full name of a scorer or validator
	Value     string `json:"value,omitempty"`     // of the component
	MinMicro  *int64 `json:"min_micro,omitempty"`
	MaxMicro  *int64 `json:"max_micro,omitempty"`
}
