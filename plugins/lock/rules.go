package lock

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"paceline/core/digest"
)

// RulesStatus says whether results of a preset can be handed in under the rules that it follows.
type RulesStatus string

// Statuses.
const (
	Submittable RulesStatus = "submittable"
	Superseded  RulesStatus = "superseded"  // it runs and is judged, but is no longer taken
	Unpublished RulesStatus = "unpublished" // the rules leave out a value that a run needs
)

// Rules are what a benchmark's rules ask of a run of a preset beyond its fragment and its thresholds. A run that does not
// follow them is told so in its report; where a value is missing it does not start.
type Rules struct {
	Of     string      `json:"of"` // whose rules and which version, for people
	Status RulesStatus `json:"status"`
	Reason string      `json:"reason,omitempty"` // where it is not submittable
	// Missing are the keys of a run file that have no published value, sorted: a key, or a group in which there must be one.
	Missing       []string                 `json:"missing,omitempty"`
	WholePasses   bool                     `json:"whole_passes,omitempty"`   // trajectories come in multiples of the workload's
	SeedSet       bool                     `json:"seed_set,omitempty"`       // seeds are those of a published set
	ReferenceBody bool                     `json:"reference_body,omitempty"` // requests are a reference client's, but for stream_options
	Inputs        map[string]digest.SHA256 `json:"inputs,omitempty"`         // what the workload's inputs must be
}

func (p *Preset) checkRules(faults *faults, at string) {
	r := p.Rules
	if r == nil {
		return
	}
	if r.Of == "" {
		faults.add("%s.of: missing; name the rules and their version", at)
	}
	switch r.Status {
	case Submittable, Superseded, Unpublished:
	default:
		faults.add("%s.status: unknown status %q; want %s, %s or %s", at, r.Status, Submittable, Superseded, Unpublished)
	}
	if (r.Reason == "") != (r.Status == Submittable) {
		faults.add("%s.reason: wanted where the status is not %s, and only there", at, Submittable)
	}
	if (len(r.Missing) > 0) != (r.Status == Unpublished) {
		faults.add("%s.missing: wanted where the status is %s, and only there", at, Unpublished)
	}
	if !slices.IsSorted(r.Missing) || len(slices.Compact(slices.Clone(r.Missing))) < len(r.Missing) {
		faults.add("%s.missing: not sorted, or one twice", at)
	}
	for i, key := range r.Missing {
		p.checkMissing(faults, fmt.Sprintf("%s.missing[%d]", at, i), key)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		if r.Inputs[name] == (digest.SHA256{}) || name == "" {
			faults.add("%s.inputs: %q needs a name and a sha256", at, name)
		}
	}
}

// checkMissing: a key without a value is one that a preset could set and this one does not.
func (p *Preset) checkMissing(faults *faults, at, key string) {
	group, _, _ := strings.Cut(key, ".")
	if !slices.Contains(PresetKeys(), group) {
		faults.add("%s: %q is no key that a preset may set", at, key)
		return
	}
	value := p.Run
	for part := range strings.SplitSeq(key, ".") {
		below, err := members(value)
		i := slices.IndexFunc(below, func(m member) bool { return m.name == part })
		if err != nil || i < 0 {
			return
		}
		value = below[i].value
	}
	faults.add("%s: %q is missing, and the preset sets it", at, key)
}
