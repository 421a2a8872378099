package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paceline/core/metrics"
	"paceline/plugins/strict"
)

// PlanSchema is the schema of a plan.
const PlanSchema = "sweep-plan/v1"

// Bounds of a plan.
const (
	maxPoints      = 1000
	maxConcurrency = 1_000_000
)

// Plan is a sweep as it was planned. A person may edit it before it is played.
type Plan struct {
	Schema  string   `json:"schema"`
	Run     string   `json:"run,omitempty"`   // run file, from the plan's folder, or preset; empty: flags say it all
	Set     []string `json:"set,omitempty"`   // key=value of the run file, above it
	Rules   *Rules   `json:"rules,omitempty"` // that the curve is made by; nil: none
	Between string   `json:"between_points"`  // what empties the target's prefix cache, see ParseBetween
	Axes    Axes     `json:"axes"`
	// Regions divide the concurrencies where the rules do, from the lowest. They are drawn, and hold a plan to nothing.
	Regions []Region `json:"regions,omitempty"`
	// Until says that the points follow from each other; Points then has the first.
	Until  *Until         `json:"until,omitempty"`
	Points []PlannedPoint `json:"points"` // in the order of playing
	// Expected is what the plan was told to take; it binds nothing.
	Expected *Expected `json:"expected,omitempty"`
}

// Rules name who checks a plan and its runs. The settings are theirs.
type Rules struct {
	Name     string          `json:"name"`
	Settings json.RawMessage `json:"settings"`
}

// Axes are the figures that the curve is drawn of, by their places in schemas/metrics/v1.
type Axes struct {
	X string `json:"x"`
	Y string `json:"y"`
}

// Region is a range of concurrencies, both ends included; one whose last is below its first is empty.
type Region struct {
	Name   string `json:"name"` // as points have it
	Title  string `json:"title,omitempty"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Margin bool   `json:"margin,omitempty"` // above the declared maximum: a point there covers nothing
}

// PlainAxes are those of a sweep without rules.
var PlainAxes = Axes{X: "per_user.output_tokens_per_second", Y: "throughput.output_tokens_per_second"}

// PlannedPoint is one point before it is played.
type PlannedPoint struct {
	Concurrency int    `json:"concurrency"`
	Region      string `json:"region,omitempty"`      // where the rules place it
	Spare       bool   `json:"spare,omitempty"`       // may be withdrawn later
	Accuracy    bool   `json:"accuracy,omitempty"`    // carries the full accuracy run
	Repeats     uint32 `json:"repeats,omitempty"`     // passes over the workload; 0: as the run says
	MinSeconds  int64  `json:"min_seconds,omitempty"` // least length of its window
	Expected    int64  `json:"expected_seconds,omitempty"`
}

// Expected is how long a sweep takes by a guess.
type Expected struct {
	Basis   string   `json:"basis"` // what was measured
	Seconds int64    `json:"seconds"`
	Notes   []string `json:"notes,omitempty"` // what the guess leaves out
}

// ParsePlan reads a plan. What it does not know it refuses.
func ParsePlan(text []byte) (*Plan, error) {
	var p Plan
	if err := strict.Decode(text, &p); err != nil {
		return nil, fmt.Errorf("%w; schemas/sweep/v1 lists every key", err)
	}
	return &p, p.Check()
}

// Check lists every fault of a plan that needs no rules.
func (p *Plan) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Schema != PlanSchema {
		fail("schema: %q is unknown; want %s", p.Schema, PlanSchema)
	}
	if _, err := ParseBetween(p.Between); err != nil {
		fail("between_points: %w", err)
	}
	for _, axis := range [][2]string{{"axes.x", p.Axes.X}, {"axes.y", p.Axes.Y}} {
		if _, _, known := (&metrics.Metrics{}).Lookup(axis[1]); !known {
			fail("%s: schemas/metrics/v1 has no figure %q", axis[0], axis[1])
		}
	}
	for i, s := range p.Set {
		if name, _, ok := strings.Cut(s, "="); !ok || name == "" {
			fail("set[%d]: %q: want key=value", i, s)
		}
	}
	if p.Rules != nil && p.Rules.Name == "" {
		fail("rules.name: is missing")
	}
	p.checkRegions(fail)
	p.checkUntil(fail)
	p.checkPoints(fail)
	return errors.Join(errs...)
}

// maxRegions bounds what is drawn.
const maxRegions = 16

func (p *Plan) checkRegions(fail func(string, ...any)) {
	if n := len(p.Regions); n > maxRegions {
		fail("regions: there are %d; want at most %d", n, maxRegions)
	}
	for i, r := range p.Regions {
		if r.Name == "" {
			fail("regions[%d].name: is missing", i)
		}
		if r.First < 1 || r.First > maxConcurrency || r.Last < 0 || r.Last > maxConcurrency {
			fail("regions[%d]: %d to %d is not in 1..%d", i, r.First, r.Last, maxConcurrency)
		}
	}
}

func (p *Plan) checkPoints(fail func(string, ...any)) {
	if n := len(p.Points); n < 1 || n > maxPoints {
		fail("points: there are %d; want 1 to %d", n, maxPoints)
	}
	at := map[int]int{}
	for i, x := range p.Points {
		if x.Concurrency < 1 || x.Concurrency > maxConcurrency {
			fail("points[%d].concurrency: %d is not in 1..%d", i, x.Concurrency, maxConcurrency)
		}
		if first, twice := at[x.Concurrency]; twice && p.Until == nil {
			fail("points[%d].concurrency: %d is there already, as points[%d]", i, x.Concurrency, first)
		}
		at[x.Concurrency] = i
		if x.MinSeconds < 0 || x.Expected < 0 {
			fail("points[%d]: seconds are negative", i)
		}
	}
}
