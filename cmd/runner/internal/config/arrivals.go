package config

import (
	"slices"
	"strings"
	"time"

	"paceline/core/load"
)

// Kinds of arrivals.
const (
	Closed   = "closed"
	Constant = "constant"
	Poisson  = "poisson"
	Gamma    = "gamma"
	Bursts   = "bursts"
	Fixed    = "fixed"
	Recorded = "recorded"
)

// openUsers is how many conversations may be open at once where conversations arrive by themselves and nobody set a number.
const openUsers = 256

// Arrivals says when conversations start.
type Arrivals struct {
	Kind       string          `koanf:"kind" json:"kind"`
	Rate       float64         `koanf:"rate" json:"rate,omitempty"`             // conversations per second, of constant, poisson and gamma
	Burstiness float64         `koanf:"burstiness" json:"burstiness,omitempty"` // shape of gamma
	Size       int             `koanf:"size" json:"size,omitempty"`             // of a burst
	Times      []time.Duration `koanf:"times" json:"times_ns,omitempty"`        // of fixed
	Every      time.Duration   `koanf:"every" json:"every_ns,omitempty"`        // of fixed and bursts
}

// Stage is a part of a load that changes with time.
type Stage struct {
	Users int           `koanf:"users" json:"users,omitempty"` // closed loop
	Rate  float64       `koanf:"rate" json:"rate,omitempty"`   // conversations per second, open loop
	For   time.Duration `koanf:"for" json:"for_ns"`
	Ramp  bool          `koanf:"ramp" json:"ramp,omitempty"`
}

// Drawn reports whether arrivals follow a law.
func (a Arrivals) Drawn() bool { return a.Kind == Constant || a.Kind == Poisson || a.Kind == Gamma }

// Endless reports whether arrivals come until something ends the run.
func (a Arrivals) Endless() bool { return a.Drawn() || a.Kind == Bursts }

// Law is the law of drawn arrivals.
func (a Arrivals) Law() (load.Law, error) {
	switch a.Kind {
	case Poisson:
		return load.Poisson(), nil
	case Gamma:
		return load.Gamma(a.Burstiness)
	default:
		return load.Equal(), nil
	}
}

// Levels are the stages as the load takes them: rates where conversations arrive by themselves, else users. A rate without
// stages is one stage.
func (l Load) Levels() []load.Stage {
	if len(l.Stages) == 0 && l.Arrivals.Drawn() {
		return []load.Stage{{Level: l.Arrivals.Rate, For: time.Second}}
	}
	levels := make([]load.Stage, len(l.Stages))
	for i, s := range l.Stages {
		levels[i] = load.Stage{Level: float64(s.Users), For: s.For, Ramp: s.Ramp}
		if l.Arrivals.Drawn() {
			levels[i].Level = s.Rate
		}
	}
	return levels
}

// fill writes out what is left to defaults: a rate alone means Poisson arrivals; stages end the run; the most users are those
// of the stages.
func (l *Load) fill(given map[string]string) {
	set := func(key ...string) bool { return given[strings.Join(append([]string{"load"}, key...), sep)] != "" }
	rates := l.Arrivals.Rate != 0 || slices.ContainsFunc(l.Stages, func(s Stage) bool { return s.Rate != 0 })
	if rates && !set("arrivals", "kind") {
		l.Arrivals.Kind = Poisson
	}
	if l.Arrivals.Kind != Closed && !set("users") {
		l.Users = openUsers
	}
	if len(l.Stages) == 0 {
		return
	}
	if l.Duration == 0 {
		l.Duration = load.Length(l.Levels())
	}
	if l.Arrivals.Kind == Closed && !set("users") {
		for _, s := range l.Stages {
			l.Users = max(l.Users, s.Users)
		}
	}
}

// arrivals checks when conversations start, and how the load changes.
func (c *checker) arrivals(l Load) {
	a := l.Arrivals
	c.oneOf("load.arrivals.kind", a.Kind, Closed, Constant, Poisson, Gamma, Bursts, Fixed, Recorded)
	c.takes("load.arrivals.rate", a.Rate != 0, a.Drawn(), a.Kind, "constant, poisson or gamma")
	c.takes("load.arrivals.burstiness", a.Burstiness != 0, a.Kind == Gamma, a.Kind, "gamma")
	c.takes("load.arrivals.size", a.Size != 0, a.Kind == Bursts, a.Kind, "bursts")
	c.takes("load.arrivals.times", len(a.Times) > 0, a.Kind == Fixed, a.Kind, "fixed")
	c.takes("load.arrivals.every", a.Every != 0, a.Kind == Fixed || a.Kind == Bursts, a.Kind, "fixed or bursts")
	switch {
	case a.Kind == Fixed:
		c.fixed(a)
	case a.Kind == Bursts:
		if _, err := load.Bursts(a.Size, a.Every); err != nil {
			c.fail("load.arrivals", "%v; give size and every, e.g. {kind: bursts, size: 10, every: 30s}", err)
		}
	case a.Drawn():
		c.drawn(l)
	}
	c.stages(l)
}

// takes refuses a key that the kind of arrivals does not have.
func (c *checker) takes(key string, given, taken bool, kind, kinds string) {
	if given && !taken {
		c.fail(key, "%s arrivals do not take it; it is of %s", kind, kinds)
	}
}

func (c *checker) fixed(a Arrivals) {
	if len(a.Times) == 0 && a.Every == 0 {
		c.fail("load.arrivals.times", "is empty; fixed arrivals need times: [0s, 1s, ...] or every: 1s")
	}
	if len(a.Times) > 0 && a.Every > 0 {
		c.fail("load.arrivals", "give times or every, not both")
	}
	if !slices.IsSorted(a.Times) {
		c.fail("load.arrivals.times", "are not in order")
	}
}

func (c *checker) drawn(l Load) {
	if l.Arrivals.Kind == Gamma {
		if _, err := load.Gamma(l.Arrivals.Burstiness); err != nil {
			c.fail("load.arrivals.burstiness", "%v", err)
		}
	}
	if l.Arrivals.Rate == 0 == (len(l.Stages) == 0) {
		c.fail("load.arrivals.rate", "give a rate of conversations per second, e.g. 2.5, or stages with rates, and not both")
		return
	}
	if l.Arrivals.Rate != 0 {
		if err := load.CheckStages(l.Levels(), load.MaxRate); err != nil {
			c.fail("load.arrivals.rate", "%v does not lie between 0 and %v", l.Arrivals.Rate, load.MaxRate)
		}
	}
}

func (c *checker) stages(l Load) {
	if len(l.Stages) == 0 {
		return
	}
	if l.Arrivals.Kind != Closed && !l.Arrivals.Drawn() {
		c.fail("load.stages", "%s arrivals do not take stages", l.Arrivals.Kind)
		return
	}
	most := float64(load.MaxUsers)
	for i, s := range l.Stages {
		if l.Arrivals.Drawn() && s.Users != 0 {
			c.fail("load.stages", "stage %d: users are of a closed loop; where conversations arrive give rate", i)
		}
		if !l.Arrivals.Drawn() && s.Users > l.Users {
			c.fail("load.stages", "stage %d: %d users are above load.users %d", i, s.Users, l.Users)
		}
	}
	if l.Arrivals.Drawn() {
		most = load.MaxRate
	}
	if err := load.CheckStages(l.Levels(), most); err != nil {
		c.fail("load.stages", "%v", err)
	}
}
