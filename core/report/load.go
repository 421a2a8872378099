package report

import (
	"fmt"
	"strings"

	"paceline/core/stats"
)

// loadOf tells what load was asked for.
func loadOf(s *settings) Load {
	l := Load{
		Arrivals: s.Load.Arrivals.Kind, Users: s.Load.Users, Trajectories: s.Load.Trajectories, Repeats: s.Load.Repeats,
		Order: s.Load.Order, Delays: s.Load.Delays, MaxDelayMS: duration(s.Load.MaxDelay),
		DurationMS: duration(s.Load.Duration), GraceMS: duration(s.Load.Grace),
		WarmupMS: duration(s.Load.Warmup.Duration), Warmup: s.Load.Warmup.Trajectories,
		Rate: unlessZero(s.Load.Arrivals.Rate), Burstiness: unlessZero(s.Load.Arrivals.Burstiness),
		BurstSize: s.Load.Arrivals.Size, EveryMS: duration(s.Load.Arrivals.Every),
	}
	for _, g := range s.Load.Stages {
		l.Stages = append(l.Stages, Stage{Users: g.Users, Rate: unlessZero(g.Rate), ForMS: duration(g.For), Ramp: g.Ramp})
	}
	if s.Load.Start == "spread" {
		l.Start = s.Load.Start
	}
	if s.Load.Replay == "last" {
		l.Replay = s.Load.Replay
	}
	if s.Load.MaxContext != "" {
		l.MaxContext, l.OverContext = s.Load.MaxContext, s.Load.OverContext
	}
	return l
}

// unlessZero is a number of which 0 says that it was not given.
func unlessZero(v float64) stats.Num {
	if v == 0 {
		return stats.None()
	}
	return stats.Of(v)
}

func loadText(w *What) string {
	l := &w.Load
	parts := append(arrivalsText(l), or(l.Order, "file")+" order")
	if l.Trajectories > 0 {
		parts = append(parts, fmt.Sprintf("%d trajectories", l.Trajectories))
	}
	if l.Repeats > 0 {
		parts = append(parts, fmt.Sprintf("%d passes", l.Repeats))
	}
	if l.DurationMS.Valid() {
		parts = append(parts, seconds(l.DurationMS)+" s at most, grace "+seconds(l.GraceMS)+" s")
	}
	if text := stagesText(l); text != "" {
		parts = append(parts, text)
	}
	switch {
	case !l.Delays:
		parts = append(parts, "no tool delays")
	case l.MaxDelayMS.Valid():
		parts = append(parts, "tool delays up to "+seconds(l.MaxDelayMS)+" s")
	default:
		parts = append(parts, "tool delays as planned")
	}
	if l.Warmup > 0 {
		parts = append(parts, fmt.Sprintf("warm-up of %d trajectories", l.Warmup))
	}
	if l.WarmupMS.Valid() {
		parts = append(parts, "warm-up of "+seconds(l.WarmupMS)+" s")
	}
	return strings.Join(append(parts, partsText(l)...), ", ")
}

// partsText says what of trajectories was wanted, where that is not all of them.
func partsText(l *Load) []string {
	var parts []string
	if l.Start != "" {
		parts = append(parts, "users begin inside their trajectories")
	}
	if l.Replay != "" {
		parts = append(parts, "last turns only")
	}
	if l.MaxContext != "" {
		parts = append(parts, "contexts up to "+plain(l.MaxContext)+" tokens, beyond it "+plain(l.OverContext))
	}
	return parts
}

// arrivalsText says when conversations start, and how many there are at once.
func arrivalsText(l *Load) []string {
	if l.Arrivals == "" || l.Arrivals == "closed" {
		return []string{"closed loop", count(l.Users, "user")}
	}
	text := l.Arrivals + " arrivals"
	switch {
	case l.Rate.Valid():
		text += " at " + l.Rate.String() + " conversations/s"
	case l.BurstSize > 0:
		text += fmt.Sprintf(" of %d every %s s", l.BurstSize, seconds(l.EveryMS))
	}
	if l.Burstiness.Valid() {
		text += ", burstiness " + l.Burstiness.String()
	}
	return []string{text, "at most " + count(l.Users, "user")}
}

// stagesText tells the levels of a load that changes.
func stagesText(l *Load) string {
	parts := make([]string, len(l.Stages))
	for i, g := range l.Stages {
		level := count(g.Users, "user")
		if l.Arrivals != "closed" {
			level = stats.Of(g.Rate.Or(0)).String() + "/s"
		}
		if g.Ramp {
			level = "up or down to " + level
		}
		parts[i] = level + " for " + seconds(g.ForMS) + " s"
	}
	return strings.Join(parts, ", ")
}
