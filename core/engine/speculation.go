package engine

import (
	"encoding/json"
	"fmt"
)

// NoSpeculation is the method of a target that decodes without a draft.
const NoSpeculation = "none"

// Speculation is what a run declares of its target's speculative decoding. The zero value declares nothing.
type Speculation struct {
	Method         string          `json:"method,omitempty"`          // none, or as the engine names it, e.g. eagle3 or mtp
	Drafter        string          `json:"drafter,omitempty"`         // repository of the draft model
	WeightChecksum string          `json:"weight_checksum,omitempty"` // of the draft model's weights, e.g. git-sha1:...
	TargetChecksum string          `json:"target_checksum,omitempty"` // of the target's own weights, where there is no draft model
	Configuration  json.RawMessage `json:"configuration,omitempty"`   // of a method without a draft model
	Tokens         int             `json:"num_speculative_tokens,omitempty"`
}

// Declared reports whether anything is declared.
func (s *Speculation) Declared() bool { return s.Method != "" }

// Used reports whether speculative decoding is declared to be on.
func (s *Speculation) Used() bool { return s.Declared() && s.Method != NoSpeculation }

// String tells the declaration in words.
func (s *Speculation) String() string {
	if !s.Declared() {
		return "not declared"
	}
	text := s.Method
	if s.Drafter != "" {
		text += " by " + s.Drafter
	}
	if s.WeightChecksum != "" {
		text += " (" + s.WeightChecksum + ")"
	}
	if s.TargetChecksum != "" {
		text += fmt.Sprintf(" (target %s, %s)", s.TargetChecksum, s.Configuration)
	}
	if s.Tokens > 0 {
		text += fmt.Sprintf(", %d tokens at a time", s.Tokens)
	}
	return text
}

// TellsDrafts reports whether an engine's metrics page shows speculative decoding wherever it is on, so that a page without
// it says that it is off.
func (k Kind) TellsDrafts() bool { return k == VLLM || k == SGLang || k == TRTLLM }
