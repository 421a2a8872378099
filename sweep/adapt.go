package sweep

import (
	"fmt"
	"math"
	"strconv"

	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/sweep/until"
)

// Until makes a sweep a search: each point follows from the results of those before it, until the highest concurrency is found
// at which the objectives are kept.
type Until struct {
	Objectives string `json:"objectives"` // see until.Parse
	Low        int    `json:"low"`
	High       int    `json:"high"`
	Points     int    `json:"points"` // at most
}

// NewUntil plans a search: its first point.
func NewUntil(u Until) (*Until, PlannedPoint, error) {
	if err := u.check(); err != nil {
		return nil, PlannedPoint{}, err
	}
	return &u, PlannedPoint{Concurrency: u.search().Next(nil).Next}, nil
}

func (u *Until) search() *until.Search {
	return &until.Search{Low: u.Low, High: u.High, Points: u.Points}
}

func (u *Until) objectives() ([]until.Objective, error) {
	return until.Parse(u.Objectives, func(path string) bool {
		_, _, known := (&metrics.Metrics{}).Lookup(path)
		return known
	})
}

func (u *Until) check() error {
	if _, err := u.objectives(); err != nil {
		return fmt.Errorf("objectives: %w", err)
	}
	return u.search().Check()
}

func (p *Plan) checkUntil(fail func(string, ...any)) {
	if p.Until == nil {
		return
	}
	if err := p.Until.check(); err != nil {
		fail("until: %w", err)
	}
	if p.Rules != nil {
		fail("until: the points of a curve by rules are planned beforehand")
	}
}

// load is the worst of the objectives at a point that was played; missing where a figure of theirs is.
func (u *Until) load(r *report.Result) stats.Num {
	list, err := u.objectives()
	if err != nil || r.Metrics == nil || r.Status == report.Failed {
		return stats.None()
	}
	return stats.Of(until.Load(list, func(path string) (float64, bool) {
		v, _, _ := r.Metrics.Lookup(path)
		return v.Get()
	}))
}

// extend adds the point that follows from those that were played; false: the search is over, or there is none.
func (s *State) extend() bool {
	if s.Plan.Until == nil {
		return false
	}
	next := s.Plan.Until.search().Next(s.results()).Next
	if next == 0 {
		return false
	}
	s.Plan.Points = append(s.Plan.Points, PlannedPoint{Concurrency: next})
	s.Points = append(s.Points, Point{Concurrency: next, Folder: folderOf(next, 1), State: Pending, Attempts: []Attempt{}})
	return true
}

// results are the points that say something, in the order of playing. Loads are as the file has them, so that a search that is
// resumed goes on as it would have.
func (s *State) results() []until.Result {
	var list []until.Result
	for i := range s.Points {
		p := &s.Points[i]
		switch p.State {
		case Done, Failed:
		default:
			continue
		}
		r := until.Result{Concurrency: p.Concurrency, Load: math.Inf(1)}
		if p.State == Done && p.Load != nil && p.Load.Valid() {
			if v, err := strconv.ParseFloat(p.Load.String(), 64); err == nil {
				r.Load = v
			}
		}
		list = append(list, r)
	}
	return list
}

// Found is what a search came to.
type Found struct {
	Objectives string `json:"objectives"`
	Low        int    `json:"low"`
	High       int    `json:"high"`
	// Highest is the highest concurrency that kept the objectives, noise smoothed away; 0: none did.
	Highest int `json:"highest"`
	// Fails is the lowest one above it that did not; 0: none.
	Fails int `json:"lowest_above_that_fails,omitempty"`
	// Exact says that the search would play none between the two.
	Exact bool `json:"exact"`
	// Knee is the concurrency behind which more users bring the system little; 0: the points show none.
	Knee int `json:"knee,omitempty"`
}

// found is what a sweep's search came to so far; nil where it is none.
func (s *State) found(rows []Row) *Found {
	u := s.Plan.Until
	if u == nil {
		return nil
	}
	a := u.search().Next(s.results())
	f := &Found{Objectives: u.Objectives, Low: u.Low, High: u.High, Highest: a.Best, Fails: a.Fails, Exact: a.Exact}
	var curve []until.Spot
	for i := range rows {
		v := rows[i].figure("throughput.output_tokens_per_second").Value
		if y, ok := v.Get(); ok {
			curve = append(curve, until.Spot{Concurrency: rows[i].Concurrency, Throughput: y})
		}
	}
	f.Knee = until.Knee(curve)
	return f
}

// text tells what the search came to, in a line or two.
func (f *Found) text() string {
	t := fmt.Sprintf("objectives  %s\n", plain(f.Objectives))
	switch {
	case f.Highest == 0:
		t += fmt.Sprintf("none of the concurrencies that were played keeps them; the search went down to %d\n", f.Low)
	case f.Exact && f.Fails == 0:
		t += fmt.Sprintf("%d users keep them, the upper end of the search\n", f.Highest)
	case f.Exact:
		t += fmt.Sprintf("%d users are the most that keep them; %d do not\n", f.Highest, f.Fails)
	default:
		t += fmt.Sprintf("%d users keep them, and the search ended before it found the most\n", f.Highest)
	}
	if f.Knee > 0 {
		t += fmt.Sprintf("the curve has its knee at %d users: more bring the system little\n", f.Knee)
	}
	return t
}
