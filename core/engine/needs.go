package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Needs is what a run wants of its target.
type Needs struct {
	Usage  bool     // token counts at the end of streams
	Cached bool     // cached tokens in the token counts
	Params []string // parameters of its requests
}

// Warning is something that a run lacks, with what mends it.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Missing lists what the run needs and the target lacks, and apart from it what could not be told. Of an engine that is not
// known nothing is said. named is the engine that the run is said to be against.
func Missing(d Detection, findings []Finding, needs Needs, named Kind) (warnings, notes []Warning) {
	if named != Unknown && d.Kind != named {
		warnings = append(warnings, mismatch(d, named))
	}
	for _, f := range findings {
		if d.Kind == Unknown || !needs.want(f.Capability) || f.State == Yes {
			continue
		}
		w := Warning{Code: "engine_" + string(f.Capability), Message: f.text(d)}
		if f.State == No {
			warnings = append(warnings, w)
		} else {
			notes = append(notes, w)
		}
	}
	return append(warnings, unheeded(d, needs.Params)...), notes
}

func (n *Needs) want(c Capability) bool {
	switch c {
	case Usage:
		return n.Usage
	case CachedTokens:
		return n.Cached
	case Metrics:
		return true
	case ExactLength, CacheFlush: // for the one see unheeded; a sweep tries the other before it begins
	}
	return false
}

func mismatch(d Detection, named Kind) Warning {
	return Warning{Code: "engine_mismatch", Message: fmt.Sprintf("the target is said to be %s, and tells that it is %s (%s)",
		named.Title(), d.Kind.Title(), strings.Join(d.By, "; "))}
}

// text is the finding as a sentence.
func (f *Finding) text(d Detection) string {
	lacks := "lacks"
	if f.State == Unclear {
		lacks = "may lack"
	}
	s := fmt.Sprintf("%s %s %s: %s", d.Kind.Title(), lacks, f.Capability.noun(), f.Detail)
	if f.Mend != "" {
		s += "; " + f.Mend
	}
	return s
}

// exact lists the parameters that ask for answers of a set length.
var exact = []string{"ignore_eos", "min_tokens"}

// unheeded warns of parameters for an exact length that the engine does not heed: it says nothing of them.
func unheeded(d Detection, params []string) []Warning {
	list := switches[d.Program]
	i := slices.IndexFunc(list, func(s Switch) bool { return s.Capability == ExactLength })
	if i < 0 {
		return nil
	}
	var warnings []Warning
	for _, p := range exact {
		if slices.Contains(params, p) && !slices.Contains(list[i].Params, p) {
			warnings = append(warnings, Warning{Code: "engine_exact_length", Message: fmt.Sprintf(
				"%s does not heed %s, so answers may be shorter; it heeds %s", d.Program, p, list[i].Client)})
		}
	}
	return warnings
}
