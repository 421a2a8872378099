package load

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Stage is a part of a load that changes with time. The level is a number of users, or a rate of arrivals per second.
type Stage struct {
	Level float64
	For   time.Duration
	Ramp  bool // the level goes in a straight line from that of the stage before, at first from 0, to this one
}

// Bounds of stages.
const (
	MaxStages = 1000
	MaxRate   = 1e6 // arrivals per second
	MaxUsers  = 1_000_000
)

// CheckStages reports everything wrong with stages whose levels may be as high as most.
func CheckStages(stages []Stage, most float64) error {
	var errs []error
	if len(stages) > MaxStages {
		errs = append(errs, fmt.Errorf("%d stages; at most %d are allowed", len(stages), MaxStages))
	}
	highest := 0.0
	for i, s := range stages {
		if !(s.Level >= 0 && s.Level <= most) {
			errs = append(errs, fmt.Errorf("stage %d: its level %v does not lie between 0 and %v", i, s.Level, most))
		}
		if s.For <= 0 {
			errs = append(errs, fmt.Errorf("stage %d: it lasts %v; it must last some time", i, s.For))
		}
		highest = max(highest, s.Level)
	}
	if highest == 0 {
		errs = append(errs, errors.New("no stage has a level above 0"))
	}
	return errors.Join(errs...)
}

// Length is how long stages last together.
func Length(stages []Stage) time.Duration {
	var sum time.Duration
	for _, s := range stages {
		if sum += s.For; sum < 0 {
			return math.MaxInt64
		}
	}
	return sum
}

// from is the level at which stage i begins.
func from(stages []Stage, i int) float64 {
	switch {
	case !stages[i].Ramp:
		return stages[i].Level
	case i == 0:
		return 0
	}
	return stages[i-1].Level
}

// flow walks along the integral of a rate: so many arrivals later is when?
type flow struct {
	stages []Stage
	at     int     // stage
	within float64 // seconds since it began
	begun  time.Duration
}

// never is an arrival that does not come; far beyond every run, and far below overflow.
const never = time.Duration(math.MaxInt64 / 4)

// advance goes on by a number of arrivals, which need not be whole. Behind the last stage its level holds.
func (f *flow) advance(arrivals float64) time.Duration {
	for {
		s := f.stages[f.at]
		length := s.For.Seconds()
		begin := from(f.stages, f.at)
		slope := (s.Level - begin) / length
		rate, last := begin+mul(slope, f.within), f.at == len(f.stages)-1
		if f.within >= length && last {
			rate, slope = s.Level, 0
		}
		step := reach(rate, slope, arrivals)
		if f.within+step <= length || last && slope == 0 {
			f.within += step
			return f.now()
		}
		left := length - f.within
		arrivals -= mul(left, rate+mul(mul(0.5, slope), left))
		arrivals = max(arrivals, 0)
		if f.within = length; !last {
			f.at, f.within, f.begun = f.at+1, 0, f.begun+s.For
		}
	}
}

// now is the time since the start of the load, in whole nanoseconds.
func (f *flow) now() time.Duration {
	ns := math.Floor(mul(f.within, 1e9) + 0.5)
	if !(ns < float64(never)) {
		return never
	}
	return min(f.begun+time.Duration(ns), never)
}

// reach is how many seconds a rate that changes by slope per second takes for a number of arrivals; infinite where it falls
// to nothing before.
func reach(rate, slope, arrivals float64) float64 {
	square := mul(rate, rate) + mul(mul(2, slope), arrivals)
	if square < 0 {
		return math.Inf(1)
	}
	if sum := rate + math.Sqrt(square); sum > 0 {
		return mul(2, arrivals) / sum
	}
	return math.Inf(1)
}
