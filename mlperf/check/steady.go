package check

import (
	"slices"
	"strings"

	"paceline/mlperf/lax"
)

const (
	windowable     = "windowable"
	fewPasses      = "insufficient_passes"
	minSuperPasses = 4
	plateau        = "Plateau"
)

var (
	steadyStatus  = []string{windowable, "insufficient_duration", fewPasses, "partial_dataset"}
	steadyVerdict = []string{"STEADY STATE", "drifting_up", "drifting_down", "anomaly", "not found"}
	steadyState   = []string{plateau, "Drifting Up", "Drifting Down"}
)

// steady looks at a steady_state block; there need not be one.
func (c *checker) steady(p *point, at string) {
	s := p.cfg.Get("steady_state")
	if s.IsNull() {
		return
	}
	ok := c.steadyWord(at, "status", s.Get("status"), steadyStatus)
	ok = c.steadyWord(at, "verdict", s.Get("verdict"), steadyVerdict) && ok
	var drifting []string
	if state := s.Get("state"); state != nil {
		for _, f := range state.Fields {
			ok = c.steadyWord(at, "state."+f.Key, f.Value, steadyState) && ok
			if strings.HasPrefix(f.Value.Text, "Drifting") {
				drifting = append(drifting, f.Key)
			}
		}
	}
	if ok {
		c.pass("steady-state-valid", at, "the words of steady_state are known")
	}
	c.steadyFits(at, s.Get("status").Words(), s.Get("window"), drifting)
}

func (c *checker) steadyWord(at, name string, v *lax.Value, known []string) bool {
	if v.IsNull() || slices.Contains(known, v.Text) {
		return true
	}
	c.fail("steady-state-valid", "unknown", at, "Write one of "+strings.Join(known, ", ")+".", "steady_state.%s is %q", name, v.Text)
	return false
}

func (c *checker) steadyFits(at, status string, window *lax.Value, drifting []string) {
	passes, told := superPasses(window)
	ok := true
	if status == windowable && told && passes < minSuperPasses {
		c.fail("steady-state-consistency", "few-passes", at, "Say "+fewPasses+".", "steady_state.status is windowable over %d super-passes; it takes %d", passes, minSuperPasses)
		ok = false
	}
	if status == windowable && len(drifting) > 0 {
		c.fail("steady-state-consistency", "drift", at, "Leave the block out, or say what was found.", "steady_state.status is windowable, but %s drifts", strings.Join(drifting, ", "))
		ok = false
	}
	if status == fewPasses && told && passes >= minSuperPasses {
		c.fail("steady-state-consistency", "enough-passes", at, "Correct the window or the status.", "steady_state.status is %s over %d super-passes, which are enough", fewPasses, passes)
		ok = false
	}
	if ok {
		c.pass("steady-state-consistency", at, "steady_state fits its window")
	}
}

// superPasses is how many passes a window spans.
func superPasses(window *lax.Value) (n int, told bool) {
	first, ok := window.Get("super_pass_start").Small()
	last, ok2 := window.Get("super_pass_end").Small()
	return last - first + 1, ok && ok2
}

// basis says what the metrics of a point rest on.
func (c *checker) basis(p *point) {
	s, at := p.cfg.Get("steady_state"), p.Summary.Path
	const fix = "Expected of an agentic run, which is one pass: never invent a window. See docs/submission-check.md."
	switch status, verdict := s.Get("status").Words(), s.Get("verdict").Words(); {
	case s.IsNull():
		c.warn("steady-state-basis", "none", at, fix, "%s has no steady_state block, so its metrics are those of the whole run", p.Dir)
	case status != windowable:
		c.warn("steady-state-basis", "status", at, fix, "%s has steady_state.status %q, so its metrics are those of the whole run", p.Dir, status)
	case strings.HasPrefix(verdict, "drifting"):
		c.warn("steady-state-basis", "drift", at, fix, "%s has steady_state.verdict %q, so its metrics are no point estimate", p.Dir, verdict)
	default:
		c.pass("steady-state-basis", at, "the metrics rest on the steady-state window")
	}
}
