package profile

import (
	"fmt"
	"strconv"

	"paceline/mlperf/rules"
)

// Name is the profile of the official data set.
const Name = "mlperf-613"

// Kind says what a data set is.
type Kind string

// Kinds.
const (
	Official Kind = "official"         // the data set of the rules
	StandIn  Kind = "stand-in"         // made by this project, with all counts of the official one
	Reduced  Kind = "reduced stand-in" // made by this project, smaller
	Other    Kind = "other"
)

// Figure is one fact with what the rules want.
type Figure struct {
	Name     string `json:"name"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	OK       bool   `json:"ok"`
}

// Quantile is one of the delays before client turns, in milliseconds.
type Quantile struct {
	Name  string  `json:"name"`
	Value float64 `json:"ms"`
}

// Report is a data set held against the profile.
type Report struct {
	Profile string     `json:"profile"`
	Kind    Kind       `json:"kind"`
	Fits    bool       `json:"fits"` // all figures are as expected: it is the official one
	Figures []Figure   `json:"figures"`
	Delays  []Quantile `json:"delays"`  // of the client turns that have one
	Delayed int        `json:"delayed"` // how many have one
	Seed    string     `json:"standin_seed,omitempty"`
}

// Hold holds counts against the profile.
func Hold(c *Counts) *Report {
	r := &Report{Profile: Name, Kind: Other, Delayed: len(c.Delays), Delays: quantiles(c.Delays)}
	add := func(name, want, found string) {
		r.Figures = append(r.Figures, Figure{name, want, found, want == found})
	}
	for _, f := range []struct {
		name        string
		want, found int
	}{
		{"conversations", rules.Trajectories, c.Coding + c.Workflow},
		{"coding", rules.CodingTrajectories, c.Coding}, {"workflow", rules.WorkflowTrajectories, c.Workflow},
		{"client_turns", rules.ClientTurns, c.ClientTurns}, {"assistant_turns", rules.AssistantTurns, c.AssistantTurns},
		{"end_on_a_client_turn", rules.ClientTurns - rules.AssistantTurns, c.OpenEnds},
		{"without_a_system_message", 0, c.NoSystem},
	} {
		add(f.name, strconv.Itoa(f.want), strconv.Itoa(f.found))
	}
	counts := r.all()
	add("sha256", rules.DatasetSHA256, c.SHA256)
	r.Fits = r.all()
	switch {
	case r.Fits:
		r.Kind = Official
	case c.StandIn != nil && counts && c.StandIn.Whole():
		r.Kind, r.Seed = StandIn, c.StandIn.Seed
	case c.StandIn != nil:
		r.Kind, r.Seed = Reduced, c.StandIn.Seed
	}
	return r
}

func (r *Report) all() bool {
	for _, f := range r.Figures {
		if !f.OK {
			return false
		}
	}
	return true
}

// quantiles are values that occur: the one at the floor of its place, in microseconds' precision.
func quantiles(sorted []int64) []Quantile {
	list := []Quantile{}
	if len(sorted) == 0 {
		return list
	}
	for _, permille := range []int{0, 250, 500, 750, 900, 950, 990, 999, 1000} {
		ns := sorted[permille*(len(sorted)-1)/1000]
		list = append(list, Quantile{quantileName(permille), float64(ns/1000) / 1000})
	}
	return list
}

func quantileName(permille int) string {
	switch {
	case permille == 0:
		return "min"
	case permille == 1000:
		return "max"
	case permille%10 != 0:
		return fmt.Sprintf("p%d.%d", permille/10, permille%10)
	}
	return fmt.Sprintf("p%d", permille/10)
}

// Means says in a sentence what may be done with the data set.
func (r *Report) Means() string {
	switch r.Kind {
	case Official:
		return "it is the official data set"
	case StandIn:
		return "it is a STAND-IN (seed " + r.Seed + "): all counts fit and the digest does not; for rehearsals, never for a submission"
	case Reduced:
		return "it is a REDUCED STAND-IN (seed " + r.Seed + "), for tests"
	}
	return "it is not the official data set"
}
