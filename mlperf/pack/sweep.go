package pack

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"paceline/core/digest"
	"paceline/mlperf/describe"
	"paceline/mlperf/plan"
)

// FoundSweep is what a sweep says of all of its points.
type FoundSweep struct {
	Dir      string
	Settings *plan.Settings // of a curve that was planned by MLPerf's rules; nil: of none
}

// sweepPlan is what is read of the plan in a sweep.json.
type sweepPlan struct {
	Rules *struct {
		Name     string          `json:"name"`
		Settings json.RawMessage `json:"settings"`
	} `json:"rules"`
}

// settings are those of MLPerf's rules; nil where the plan follows none, or others.
func (p *sweepPlan) settings() (*plan.Settings, error) {
	if p.Rules == nil || p.Rules.Name != plan.Name {
		return nil, nil //nolint:nilnil // a sweep of no rules is no error
	}
	s, err := plan.ParseSettings(p.Rules.Settings)
	if err != nil {
		return nil, fmt.Errorf("plan.%w", err)
	}
	return &s, nil
}

// sweepAttempt is one try to play a point. A point is played whole or not at all, so what came before the last one is in no result.
type sweepAttempt struct {
	Folder string `json:"folder"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// sweepFacts is what a sweep says of a point that is done.
type sweepFacts struct {
	cacheFact
	Failed []string `json:"failed_checks"`
}

// told are notes of a sweep on one of its points.
func told(concurrency int, attempts []sweepAttempt, failed []string) []string {
	var list []string
	if n := len(attempts); n > 1 {
		var before []string
		for _, a := range attempts[:n-1] {
			before = append(before, strings.TrimSpace(strings.Join([]string{a.Folder, a.State}, " ")+": "+a.Reason))
		}
		list = append(list, fmt.Sprintf("r%d was played again, whole; nothing is taken of the attempts before (%s)", concurrency, strings.Join(before, "; ")))
	}
	if len(failed) > 0 {
		list = append(list, fmt.Sprintf("r%d did not pass in its sweep: %s", concurrency, strings.Join(failed, ", ")))
	}
	return list
}

// unchanged says whether the report of a point is still the one that its sweep has taken.
func unchanged(dir string, had *digest.SHA256) (bool, error) {
	if had == nil {
		return true, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return false, err
	}
	return digest.Of(text) == *had, nil
}

// checkSweeps holds what is packed to what the sweeps were planned for.
func checkSweeps(found *Found, d *describe.Description, o *Options, out *reasons) {
	for i := range found.Plans {
		f := &found.Plans[i]
		s := f.Settings
		if s == nil {
			continue
		}
		if s.Rehearsal && !o.Rehearsal {
			out.add(f.Dir, "pack a rehearsal with --rehearsal, or play a plan that is none", "its sweep was planned as a rehearsal")
		}
		if d == nil {
			continue
		}
		if d.System.MaxConcurrency != s.CMax {
			out.add(f.Dir, "correct system.max_supported_concurrency, or plan the curve again", "its sweep was planned for a maximum of %d users, and the system's description declares %d",
				s.CMax, d.System.MaxConcurrency)
		}
		declared := 0
		if s.Override {
			declared = s.CMin
		}
		if d.System.CMinOverride != declared {
			out.add(f.Dir, "correct system.c_min_override, or plan the curve again", "its sweep was planned with %s, and the system's description has %s",
				override(declared), override(d.System.CMinOverride))
		}
	}
	for _, f := range found.Runs {
		if f.Changed {
			out.add(f.Dir, "`runner report SWEEPDIR` takes the new one into the sweep", "its report.json is not the one that its sweep has taken")
		}
	}
}

func override(c int) string {
	if c == 0 {
		return "no c_min_override"
	}
	return fmt.Sprintf("c_min_override %d", c)
}
