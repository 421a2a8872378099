package report

import (
	"fmt"
	"slices"

	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/stats"
)

// Reach tells how much of trajectories was played, where that was not all of them by the run's own choice.
type Reach struct {
	Spread   *Spread  `json:"spread,omitempty"`
	Last     *Last    `json:"last,omitempty"`
	Contexts *Fitting `json:"contexts,omitempty"`
}

// Spread tells where users began that were to begin inside their trajectories.
type Spread struct {
	Users  int `json:"users"`  // with a first conversation
	Inside int `json:"inside"` // of those: behind the first turn
	// Mean is how many of a hundred planned turns lay before the first that was played, over all those users; Waits the tool
	// delay that was left of it.
	Mean      stats.Num `json:"mean_position_percent"`
	Waits     stats.Num `json:"mean_wait_ms"`
	Live      int       `json:"stayed_live_agent,omitempty"` // began with the first turn: their turns depend on answers
	NoAnswers int       `json:"stayed_no_answers,omitempty"` // began with it: nothing could stand for the answers before
}

// Last tells of conversations that were to play their trajectory's last turn alone.
type Last struct {
	Conversations int `json:"conversations"`
	Longer        int `json:"longer,omitempty"` // play more, since other branches go on beside the last turn
}

// Fitting is what was counted before the load of trajectories and the longest context, and what came of it.
type Fitting struct {
	journal.Contexts
	Skipped   int `json:"skipped"`          // trajectories that were not started, those of later passes included where they were planned
	Ended     int `json:"ended"`            // conversations that ended before a turn that would not have fit
	Truncated int `json:"truncated"`        // conversations with a request that left older turns out
	Cuts      int `json:"cuts"`             // times that older turns were left out anew
	Overflows int `json:"context_overflow"` // turns that the target found too long all the same
}

// reach is nil where trajectories were played whole.
func reach(in Input, s *settings) *Reach {
	var r Reach
	if s.Load.Start == "spread" {
		r.Spread = spread(in.Run)
	}
	if s.Load.Replay == "last" {
		r.Last = last(in.Run)
	}
	if c := in.Config.Contexts; c != nil {
		r.Contexts = contexts(in.Run, c)
	}
	if r == (Reach{}) {
		return nil
	}
	return &r
}

func spread(run *journal.Run) *Spread {
	x := &Spread{}
	var position, wait int64 // in millionths, and nanoseconds
	for i := range run.Conversations {
		p := run.Conversations[i].Part
		if p == nil || p.Entered != sample.EnteredSpread {
			continue
		}
		x.Users++
		switch p.Stayed {
		case sample.StayedLive:
			x.Live++
		case sample.StayedAnswers:
			x.NoAnswers++
		}
		of := min(p.Of, maxTurns)
		if from, _ := p.Bounds(of); from > 0 {
			x.Inside++
			position += int64(from) * 1_000_000 / int64(of)
			wait += int64(min(max(p.Wait, 0), maxWait))
		}
	}
	x.Mean, x.Waits = stats.Ratio(position, int64(x.Users)*10_000), stats.Ratio(wait, int64(x.Users)*1_000_000)
	return x
}

// Bounds of what a journal may say, so that sums stay inside of 64 bits.
const (
	maxTurns = 1 << 20
	maxWait  = 1 << 45
)

func last(run *journal.Run) *Last {
	x := &Last{}
	for i := range run.Conversations {
		p := run.Conversations[i].Part
		if p == nil || p.Entered != sample.EnteredLast {
			continue
		}
		x.Conversations++
		if from, to := p.Bounds(p.Of); to-from > 1 {
			x.Longer++
		}
	}
	return x
}

func contexts(run *journal.Run, c *journal.Contexts) *Fitting {
	x := &Fitting{Contexts: *c}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; !w.Sample {
			x.Skipped += w.Skipped
		}
	}
	known := map[string]bool{} // whole workloads whose first pass is counted already
	for i := range c.Workloads {
		known[c.Workloads[i].Workload] = !c.Workloads[i].Sample
	}
	for i := range run.Plans {
		if p := &run.Plans[i]; p.Skipped != nil && (p.Repeat > 0 || !known[p.Workload]) {
			x.Skipped++
		}
	}
	for i := range run.Conversations {
		if p := run.Conversations[i].Part; p != nil && p.Cut == sample.CutContext {
			x.Ended++
		}
	}
	var of sample.ID // the conversation that was counted last
	for i := range run.Samples {
		s := &run.Samples[i]
		if s.Outcome == sample.ContextOverflow {
			x.Overflows++
		}
		if slices.Contains(s.Notes, sample.NoteTruncated) {
			x.Cuts++
		}
		if id := s.Conversation(); s.LeftOut > 0 && id != of {
			x.Truncated, of = x.Truncated+1, id
		}
	}
	return x
}

// warnReach tells what was not played of trajectories, and what of figures hangs on that.
func (r *Result) warnReach() {
	x := r.Reach
	if x == nil {
		return
	}
	if s := x.Spread; s != nil && s.NoAnswers+s.Live > 0 {
		r.warning("spread_stayed", "%d of %d users began with the first turn of their trajectory: by live history nothing stands for the answers before another one (%d), or an agent makes its turns (%d)",
			s.NoAnswers+s.Live, s.Users, s.NoAnswers, s.Live)
	}
	if c := x.Contexts; c != nil && c.Skipped > 0 {
		r.warning("contexts_skipped", "trajectories that were not played, since a turn exceeds %d tokens: %d; no figure has them in it", c.Most, c.Skipped)
	}
	if c := x.Contexts; c != nil && c.Overflows > 0 {
		r.warning("contexts_overflow", "%d turns were too long for the target, though their trajectories were held to %d tokens (lengths are %s)", c.Overflows, c.Most, c.by())
	}
}

// by says how lengths are known, of several workloads in the least exact way.
func (c *Fitting) by() string {
	by := ""
	for _, w := range c.Workloads {
		if by == "" || w.By == "estimated" || w.By == "counted" && by == "planned" {
			by = w.By
		}
	}
	return by
}

// reachText shows what was played.
func (p *page) reachText(x *Reach) {
	if x == nil {
		return
	}
	p.section("PARTS OF TRAJECTORIES (whole run)")
	if s := x.Spread; s != nil {
		text := fmt.Sprintf("%d of %d users began inside", s.Inside, s.Users)
		if s.Mean.Valid() {
			text += fmt.Sprintf("; %s %% of the turns lay before the first one in the mean, %s ms of its delay were left", short(s.Mean), short(s.Waits))
		}
		p.pair("Start", text)
	}
	if l := x.Last; l != nil {
		text := fmt.Sprintf("the last turn of each trajectory, %d conversations", l.Conversations)
		if l.Longer > 0 {
			text += fmt.Sprintf("; %d play more, beside other branches", l.Longer)
		}
		p.pair("Replay", text)
	}
	p.contextsText(x.Contexts)
}

func (p *page) contextsText(c *Fitting) {
	if c == nil {
		return
	}
	told := ""
	if c.Told {
		told = ", as the target tells"
	}
	p.pair("Longest context", fmt.Sprintf("%d tokens%s; beyond it: %s", c.Most, told, c.Over))
	for i := range c.Workloads {
		w := &c.Workloads[i]
		text := fmt.Sprintf("%d of %d trajectories exceed it", w.Over, w.Trajectories)
		if w.Sample {
			text += " (a sample)"
		}
		text += fmt.Sprintf(", %d unfit; longest %d tokens: %s; lengths %s", w.Skipped, w.Longest, plain(w.LongestID), w.By)
		name := "  counted"
		if len(c.Workloads) > 1 {
			name = "  " + plain(w.Workload)
		}
		p.pair(name, text)
	}
	if c.Rule != "" {
		p.pair("  estimated by", c.Rule)
	}
	p.pair("  played", fmt.Sprintf("%d trajectories skipped; %d conversations ended early, %d with older turns left out (%d times); %d turns too long for the target",
		c.Skipped, c.Ended, c.Truncated, c.Cuts, c.Overflows))
}
