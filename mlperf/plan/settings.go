package plan

import (
	"encoding/json"
	"errors"
	"fmt"

	"paceline/mlperf/rules"
	"paceline/plugins/strict"
)

// Name is how a plan names these rules.
const Name = "mlperf-endpoints/" + rules.CheckerVersion

// Level3 says at which points of a curve the full accuracy run, SWE-bench, is made.
type Level3 string

// Where level 3 runs.
const (
	Bands      Level3 = "bands"       // four points, one for each band; their mean is held to the threshold
	EveryPoint Level3 = "every-point" // as the published announcement has it; the checker takes four results only
	Nowhere    Level3 = "none"        // no package of such a curve passes
)

// Settings are what a plan fixes for the whole curve.
type Settings struct {
	Model string `json:"model"`
	CMin  int    `json:"c_min"` // the lowest concurrency of the curve; at most 32
	// Override declares c_min_override: C_min is then one of the points, and Ultra Low ends there.
	Override  bool     `json:"c_min_override"`
	CMax      int      `json:"c_max"` // the declared maximum supported concurrency
	Accuracy  Accuracy `json:"accuracy"`
	Rehearsal bool     `json:"rehearsal"` // what the rules refuse is told and not refused; no result is official
}

// Accuracy says where level 3 runs, and which of the run's scorers it is.
type Accuracy struct {
	Level3 Level3 `json:"level3"`
	Scorer string `json:"scorer,omitempty"`
}

// ParseSettings reads the settings of a plan, which a person may have edited.
func ParseSettings(raw json.RawMessage) (Settings, error) {
	var s Settings
	if err := strict.Decode(raw, &s); err != nil {
		return s, fmt.Errorf("rules.settings: %w", err)
	}
	return s, s.check()
}

// check finds what cannot be whatever the points are.
func (s *Settings) check() error {
	var errs []error
	if _, err := rules.FindModel(s.Model); err != nil {
		errs = append(errs, fmt.Errorf("model: %w", err))
	}
	switch s.Accuracy.Level3 {
	case Bands, EveryPoint:
	case Nowhere:
		if s.Accuracy.Scorer != "" {
			errs = append(errs, errors.New("accuracy.scorer: level3 is none, so no scorer runs it; leave it out"))
		}
	default:
		errs = append(errs, fmt.Errorf("accuracy.level3: %q is unknown; want %s, %s or %s", s.Accuracy.Level3, Bands, EveryPoint, Nowhere))
	}
	if _, err := s.regions(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// regions are the curve's regions. An error says which of them has no member, and what would mend it.
func (s *Settings) regions() (rules.Regions, error) {
	r, err := rules.NewRegions(s.CMin, s.CMax)
	if err != nil {
		return r, fmt.Errorf("%w: the rules have no curve for it", err)
	}
	if !empty(r) {
		return r, nil
	}
	text := fmt.Sprintf("C_min %d and C_max %d leave a region without any concurrency (%s), so no curve of them passes", s.CMin, s.CMax, show(r))
	if low := largestMin(s.CMax, rules.MinPoints); low > 0 {
		text += fmt.Sprintf("; take C_min %d or lower", low)
	}
	return r, fmt.Errorf("%s, or C_max %d or higher", text, smallestMax(s.CMin))
}

// empty says whether a region that must be covered has no member.
func empty(r rules.Regions) bool { return r.Low.Empty() || r.Medium.Empty() || r.High.Empty() }

func show(r rules.Regions) string {
	text := ""
	for _, e := range []struct {
		name string
		in   rules.Range
	}{{"Low", r.Low}, {"Medium", r.Medium}, {"High", r.High}} {
		if text != "" {
			text += ", "
		}
		if e.in.Empty() {
			text += e.name + " has none"
		} else {
			text += fmt.Sprintf("%s %d-%d", e.name, e.in.First, e.in.Last)
		}
	}
	return text
}

// largestMin is the highest C_min whose regions all have members and that leaves room for so many points up to cmax; 0: none.
func largestMin(cmax, points int) int {
	for low := rules.MaxUltraLow; low > 0; low-- {
		if r, err := rules.NewRegions(low, cmax); err == nil && !empty(r) && cmax-low+1 >= points {
			return low
		}
	}
	return 0
}

// smallestMax is the lowest C_max whose regions all have members.
func smallestMax(cmin int) int {
	for cmax := max(cmin, rules.MaxUltraLow) + 1; ; cmax++ {
		if r, err := rules.NewRegions(cmin, cmax); err != nil || !empty(r) {
			return cmax
		}
	}
}
