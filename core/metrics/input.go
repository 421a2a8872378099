package metrics

import (
	"time"

	"paceline/core/sample"
	"paceline/core/verdict"
)

// Input is what metrics are computed of. Nothing in it is written to.
type Input struct {
	Samples       []sample.Sample
	Conversations []sample.Conversation
	// Counts holds a counter's tokens per sample, in the order of Samples; nil
	// where no counter ran.
	Counts     []verdict.Count
	SelfChecks []sample.SelfCheck
	// Measure is when measuring began, and Drain when the first user was left
	// without work or new turns were stopped; Unset where the run never got there.
	Measure, Drain sample.Offset
	// Stopped says that a time limit or somebody stopped new turns, so that the
	// load after Drain is not the one asked for.
	Stopped bool
	// Lost is the number of records that the journal could not keep.
	Lost int64
	Config
}

// Config is what the user chose. The zero Config is complete: every zero field
// means its default.
type Config struct {
	// Window names the window of the main figures: FirstIdle, Steady, Trim or
	// All. Empty means All.
	Window string
	// TrimPPM is the share of the measuring time that Trim drops at its start,
	// in millionths; 0 means 200,000.
	TrimPPM int64
	// Users is the number of users that the load asks for; 0 means the number
	// seen. OpenLoop says that arrivals, not users, drive the load.
	Users    int
	OpenLoop bool
	// CounterFirst takes a counter's tokens even where the server told usage.
	CounterFirst bool
	// LiveHistory says that the model's own answers are sent back, and
	// StripThinking that they are sent back without their thinking.
	LiveHistory, StripThinking bool
	// Workloads are those of a mix, in the order in which they are shown; nil: there is one.
	Workloads []Mixed
	// Targets are those of a run with several, in the order in which they are shown; nil: there is one.
	Targets []Target
	// CacheBlock is the target's cache block in tokens; 0 means 1.
	CacheBlock int64
	// Objectives are the bounds that goodput asks for.
	Objectives []Objective
	// InputBands are the lower borders, rising, of the bands of input length
	// in tokens; nil means powers of two from 1,024 on.
	InputBands []int64
	// Seed is the run's seed, for the bootstrap.
	Seed uint64
	// Accelerators is the number of accelerators behind all targets; 0: not told.
	Accelerators int
	Prices       *Prices // nil: nobody gave any
	Honesty      Bounds
}

// Bounds is how far the client may disturb the measurement: the 99th
// percentile of the schedule error may be at most the larger of Least and the
// share PPM, in millionths, of the median TTFT.
type Bounds struct {
	Least time.Duration // 0 means 1 ms
	PPM   int64         // 0 means 10,000, which is 1 %
	// Refuse makes a disturbed run invalid.
	Refuse bool
}

// Objective asks that one figure of a turn or of a trajectory is at most so
// much.
type Objective struct {
	Metric Objectified
	AtMost time.Duration
}

// Objectified names the figure of an objective.
type Objectified string

// The figures that an objective may bound. The last two are a trajectory's.
const (
	ObjTTFT              Objectified = "ttft"
	ObjTTFTAnswer        Objectified = "ttft_answer"
	ObjLatency           Objectified = "latency"
	ObjTPOT              Objectified = "tpot"
	ObjResponse          Objectified = "response_time"
	ObjTrajectoryLatency Objectified = "trajectory_latency"
	ObjTTFAT             Objectified = "ttfat"
)

// ppm is one whole in millionths.
const ppm = 1_000_000

func (c Config) filled() Config {
	if c.Window == "" {
		c.Window = All
	}
	if c.TrimPPM <= 0 || c.TrimPPM >= ppm {
		c.TrimPPM = 200_000
	}
	if c.CacheBlock <= 0 {
		c.CacheBlock = 1
	}
	if c.InputBands == nil {
		for b := int64(1024); b <= 1<<20; b *= 2 {
			c.InputBands = append(c.InputBands, b)
		}
	}
	if c.Honesty.Least <= 0 {
		c.Honesty.Least = time.Millisecond
	}
	if c.Honesty.PPM <= 0 {
		c.Honesty.PPM = 10_000
	}
	return c
}
