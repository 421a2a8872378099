package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"paceline/core/sample"
	"paceline/core/stats"
)

// States of client honesty.
const (
	Honest    = "honest"
	Disturbed = "disturbed" // the client was later than the bound allows
	Invalid   = "invalid"   // records were lost, or a disturbed run is refused
)

// Honesty is how far the client itself disturbed the measurement, from the
// start of measuring to the end of the run.
type Honesty struct {
	State   string   `json:"state"`
	Reasons []string `json:"reasons"`
	// ScheduleError is Sent - Due without connecting; its p99 may be at most BoundMS.
	ScheduleError Dist  `json:"schedule_error_ms"`
	BoundMS       Milli `json:"bound_ms"`
	// StartBurst is the schedule error of the turns that open the load: all are
	// due at one instant and can only be sent one after the other, so they are
	// not in ScheduleError. Empty where one turn alone opens it.
	StartBurst Dist  `json:"start_burst_ms"`
	Connecting Dist  `json:"connecting_ms"`
	Lost       int64 `json:"records_lost"`
	// Phases splits the schedule error by the phase in which the turn was sent.
	Phases []PhaseLateness `json:"phases"`
	Self   SelfChecks      `json:"client"`
}

// PhaseLateness is the schedule error of one phase.
type PhaseLateness struct {
	Phase         string `json:"phase"`
	ScheduleError Dist   `json:"schedule_error_ms"`
}

// SelfChecks sums up what the client saw of itself.
type SelfChecks struct {
	Checks            int    `json:"checks"`
	ClientMSPerTurn   Figure `json:"client_ms_per_turn"` // between Done and the next Sent, beyond the delay
	CPUMSPerTurn      Figure `json:"cpu_ms_per_turn"`
	CPUShare          Figure `json:"cpu_share"` // of one core
	WorkerCPUShare    Figure `json:"worker_cpu_share"`
	GCPauseMaxMS      Figure `json:"gc_pause_max_ms"`
	GCPauseShare      Figure `json:"gc_pause_share"`
	SchedLatMaxMS     Figure `json:"scheduler_wait_max_ms"`
	HeapMaxBytes      int64  `json:"heap_max_bytes"`
	JournalQueueMax   int64  `json:"journal_queue_max_bytes"`
	PlanWaits         int64  `json:"plan_waits"`
	PlanWaitMS        Milli  `json:"plan_wait_ms"`
	ActiveOverAsked   Figure `json:"active_over_asked"`
	JournalLostTold   int64  `json:"journal_lost"`
	LastCheckUsers    int    `json:"last_users"`
	LastCheckInFlight int    `json:"last_in_flight"`
}

func (d *data) honesty() Honesty {
	h := Honesty{State: Honest, Reasons: []string{}, Phases: []PhaseLateness{}, Lost: d.in.Lost, Self: d.selfChecks()}
	h.Lost = max(h.Lost, h.Self.JournalLostTold)
	errors, connecting, ttft := list{scale: perMilli}, list{scale: perMilli}, list{scale: perMilli}
	burst, opening := list{scale: perMilli}, d.opening()
	phases := map[sample.Phase]*list{}
	start := d.start()
	for _, t := range d.turns {
		ns, connect, ok := t.scheduleError()
		if !ok {
			continue
		}
		if phases[t.Phase] == nil {
			phases[t.Phase] = &list{scale: perMilli}
		}
		phases[t.Phase].add(t.conv.index, ns)
		if t.Timing.Sent < start {
			continue
		}
		if t.Timing.Due == opening {
			burst.add(t.conv.index, ns)
		} else {
			errors.add(t.conv.index, ns)
		}
		if connect > 0 {
			connecting.add(t.conv.index, connect)
		}
		if v, ok := t.ttft(); ok && t.ok() {
			ttft.add(t.conv.index, v)
		}
	}
	h.ScheduleError, h.Connecting, h.StartBurst = errors.plain(NoSamples), connecting.plain(NoSamples), burst.plain(NoSamples)
	for _, p := range []sample.Phase{sample.Prepare, sample.Warmup, sample.Measure, sample.Drain} {
		if l := phases[p]; l != nil {
			h.Phases = append(h.Phases, PhaseLateness{string(p), l.plain(NoSamples)})
		}
	}
	h.judge(d.Honesty, ttft.plain(NoSamples).P50)
	return h
}

// opening is the instant at which the load begins with several turns at once; Unset where it begins with one.
func (d *data) opening() sample.Offset {
	first, n := sample.Unset, 0
	for _, t := range d.turns {
		switch due := t.Timing.Due; {
		case !due.Set() || !t.Timing.Sent.Set():
		case !first.Set() || due < first:
			first, n = due, 1
		case due == first:
			n++
		}
	}
	if n < 2 {
		return sample.Unset
	}
	return first
}

// brief writes a figure of a sentence with four digits.
func brief(n stats.Num) string {
	v, _ := n.Get()
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// judge compares with the bounds.
func (h *Honesty) judge(b Bounds, medianTTFT stats.Num) {
	bound := float64(b.Least) / perMilli
	if m, ok := medianTTFT.Get(); ok {
		bound = max(bound, float64(m*float64(b.PPM))/ppm)
	}
	h.BoundMS = stats.Of(bound)
	if p99, ok := h.ScheduleError.P99.Get(); ok && p99 > bound {
		h.State = Disturbed
		h.Reasons = append(h.Reasons, fmt.Sprintf("p99 of the schedule error is %s ms, above the bound of %s ms", brief(h.ScheduleError.P99), brief(h.BoundMS)))
		if b.Refuse {
			h.State = Invalid
			h.Reasons = append(h.Reasons, "a disturbed run is refused here")
		}
	}
	if h.Lost > 0 {
		h.State = Invalid
		h.Reasons = append(h.Reasons, fmt.Sprintf("%d records of the journal were lost", h.Lost))
	}
}

func (d *data) selfChecks() SelfChecks {
	const none = "no self-check"
	s := SelfChecks{
		ClientMSPerTurn: Figure{Reason: none}, CPUMSPerTurn: Figure{Reason: none}, CPUShare: Figure{Reason: none},
		WorkerCPUShare: Figure{Reason: none}, GCPauseMaxMS: Figure{Reason: none}, GCPauseShare: Figure{Reason: none},
		SchedLatMaxMS: Figure{Reason: none}, ActiveOverAsked: Figure{Reason: none},
	}
	checks := slices.Clone(d.in.SelfChecks)
	slices.SortStableFunc(checks, func(a, b sample.SelfCheck) int { return cmp.Compare(a.At, b.At) })
	start := d.start()
	// Totals are compared with the last check before measuring, if there is one.
	base := 0
	for base+1 < len(checks) && checks[base+1].At <= start {
		base++
	}
	if len(checks) == 0 {
		return s
	}
	checks = checks[base:]
	s.Checks = len(checks)
	first, last := checks[0], checks[len(checks)-1]
	var gc, lat, users, asked int64
	for _, c := range checks {
		if c.At >= start {
			gc, lat = max(gc, c.GCPauseMaxNanos), max(lat, c.SchedLatMaxNanos)
			users, asked = users+int64(c.Users), asked+int64(c.Asked)
		}
		s.HeapMaxBytes = max(s.HeapMaxBytes, c.HeapBytes)
		s.JournalQueueMax = max(s.JournalQueueMax, c.JournalQueue)
	}
	s.GCPauseMaxMS, s.SchedLatMaxMS = Figure{Value: milli(gc)}, Figure{Value: milli(lat)}
	s.ActiveOverAsked = figure(stats.Ratio(users, asked), none)
	s.JournalLostTold, s.PlanWaits, s.PlanWaitMS = last.JournalLost, last.PlanWaits, milli(last.PlanWaitNanos)
	s.LastCheckUsers, s.LastCheckInFlight = last.Users, last.InFlight
	turns, wall := last.Turns-first.Turns, int64(last.At-first.At)
	s.ClientMSPerTurn = figure(perTurn(last.ClientNanos-first.ClientNanos, turns), none)
	s.CPUMSPerTurn = figure(perTurn(last.CPUNanos-first.CPUNanos, turns), none)
	s.CPUShare = figure(stats.Ratio(last.CPUNanos-first.CPUNanos, wall), NoTime)
	s.WorkerCPUShare = figure(stats.Ratio(last.WorkerCPUNanos-first.WorkerCPUNanos, wall), NoTime)
	s.GCPauseShare = figure(stats.Ratio(last.GCPauseNanos-first.GCPauseNanos, wall), NoTime)
	return s
}

// perTurn is nanoseconds over turns, in milliseconds.
func perTurn(ns, turns int64) stats.Num {
	if turns <= 0 {
		return stats.None()
	}
	return stats.Ratio(ns, turns*perMilli)
}

func (d *data) rules() Rules {
	r := Rules{
		Window: d.Window, SteadyUsersPermille: steadyPermille, TrimPPM: d.TrimPPM,
		HandoverMS: milli(handover), Load: why(d.OpenLoop, "open", "closed"), Users: d.users(),
		TokenSource: why(d.CounterFirst, SourceCounter, SourceUsage), History: d.history(),
		Thinking: why(d.StripThinking, "strip", "keep"), CacheBlock: d.CacheBlock,
		QuantileMethod: "linear (type 7)", ConfidenceResamples: stats.Resamples,
	}
	if d.Accelerators > 0 {
		n := d.Accelerators
		r.Accelerators = &n
	}
	return r
}
