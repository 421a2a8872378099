package main

import (
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"paceline/bench/internal/proc"
)

// Measured is what one client process found.
type Measured struct {
	Turns         int     `json:"turns"`
	CPUMicros     float64 `json:"cpu_us_per_turn"` // user and system
	TurnsPerS     float64 `json:"turns_per_s"`
	PeakBytes     int64   `json:"peak_rss_bytes"`
	Mallocs       float64 `json:"mallocs_per_turn"`
	MallocBytes   float64 `json:"malloc_bytes_per_turn"`
	Collections   uint32  `json:"gc_cycles"`
	ChunksPerRead float64 `json:"chunks_per_read,omitempty"`
	// LateP50 and LateP99 are of Sent - Due. All users are due at one instant when the load starts, and a burst takes as
	// long as it takes to send it: those turns are left out, and Burst is the last of them.
	LateP50 float64 `json:"late_p50_us,omitempty"`
	LateP99 float64 `json:"late_p99_us,omitempty"`
	Burst   float64 `json:"late_first_max_us,omitempty"`
	Lost    int64   `json:"records_lost"`
}

// meter holds the readings at the start of what is measured.
type meter struct {
	usage   proc.Usage
	memory  runtime.MemStats
	at      time.Time
	profile *os.File
	allocs  string
}

// begin takes the readings; whatever costs something comes before them.
func (m *meter) begin(o *Options) error {
	m.allocs = o.Allocs
	runtime.ReadMemStats(&m.memory)
	if o.Profile != "" {
		f, err := os.Create(o.Profile)
		if err != nil {
			return err
		}
		m.profile = f
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	var err error
	m.at = time.Now()
	m.usage, err = proc.Now()
	return err
}

func (m *meter) end(turns int) (*Measured, error) {
	if turns == 0 {
		return nil, errors.New("no turn was measured")
	}
	usage, err := proc.Now()
	if err != nil {
		return nil, err
	}
	took, n := time.Since(m.at), float64(turns)
	if m.profile != nil {
		pprof.StopCPUProfile()
		if err := m.profile.Close(); err != nil {
			return nil, err
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if m.allocs != "" {
		if err := writeAllocs(m.allocs); err != nil {
			return nil, err
		}
	}
	used := usage.Less(m.usage)
	return &Measured{
		Turns: turns, CPUMicros: round2(micros(used.CPU) / n), TurnsPerS: round2(n / took.Seconds()), PeakBytes: used.Peak,
		Mallocs:     round2(float64(memory.Mallocs-m.memory.Mallocs) / n),
		MallocBytes: round2(float64(memory.TotalAlloc-m.memory.TotalAlloc) / n),
		Collections: memory.NumGC - m.memory.NumGC,
	}, nil
}

func writeAllocs(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

func round2(v float64) float64 { return math.Round(v*100) / 100 }

// quantile is the nearest-rank percentile; it sorts list.
func quantile(list []time.Duration, percent int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[max(0, (len(list)*percent+99)/100-1)]
}
