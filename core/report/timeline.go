package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
)

// Timeline is one conversation as it was played.
type Timeline struct {
	Conversation sample.Conversation `json:"conversation"`
	Turns        []TimelineTurn      `json:"turns"` // in the order in which they were sent, those that were not at the end
	metrics.Shape
}

// TimelineTurn is one turn of a timeline. Instants are nanoseconds from the epoch, -1 where they were not reached.
type TimelineTurn struct {
	Turn       uint32         `json:"turn"`
	Branch     uint32         `json:"branch"`
	Waits      []uint32       `json:"waits,omitempty"`
	ForkOf     *uint32        `json:"fork_of,omitempty"`
	Outcome    sample.Outcome `json:"outcome"`
	Cause      string         `json:"cause,omitempty"`
	Due        sample.Offset  `json:"due"`
	Sent       sample.Offset  `json:"sent"`
	FirstToken sample.Offset  `json:"first_token"`
	Done       sample.Offset  `json:"done"`
	NextStart  sample.Offset  `json:"next_start"`
	NextDone   sample.Offset  `json:"next_done"`
	Critical   bool           `json:"critical"`
}

// Wanted names the conversations whose timelines are wanted. Empty fields and nil match all; without a trajectory it is the
// longest of them, and where some branch, of those.
type Wanted struct {
	Workload, Trajectory string
	Repeat               *uint32
}

func (w *Wanted) matches(id *sample.ID) bool {
	return (w.Trajectory == "" || id.Trajectory == w.Trajectory) && (w.Workload == "" || id.Workload == w.Workload) && (w.Repeat == nil || id.Repeat == *w.Repeat)
}

// Timelines returns the conversations that are wanted, in the order of their starts.
func Timelines(run *journal.Run, want Wanted) []Timeline {
	chosen := want.choose(run)
	samples := make(map[sample.ID][]sample.Sample, len(chosen))
	for _, c := range chosen {
		samples[c.ID] = nil
	}
	for i := range run.Samples {
		id := run.Samples[i].Conversation()
		if list, wanted := samples[id]; wanted {
			samples[id] = append(list, run.Samples[i])
		}
	}
	list := make([]Timeline, 0, len(chosen))
	for _, c := range chosen {
		list = append(list, timeline(c, samples[c.ID]))
	}
	return list
}

func (w *Wanted) choose(run *journal.Run) []*sample.Conversation {
	var list []*sample.Conversation
	for i := range run.Conversations {
		if c := &run.Conversations[i]; w.matches(&c.ID) {
			list = append(list, c)
		}
	}
	if w.Trajectory != "" || len(list) == 0 {
		return list
	}
	branch := map[sample.ID]bool{}
	for i := range run.Samples {
		if s := &run.Samples[i]; s.Branch != 0 || s.Waits != nil {
			branch[s.Conversation()] = true
		}
	}
	longest := list[0]
	for _, c := range list[1:] {
		if branch[c.ID] && !branch[longest.ID] || branch[c.ID] == branch[longest.ID] && c.End-c.Start > longest.End-longest.Start {
			longest = c
		}
	}
	return []*sample.Conversation{longest}
}

func timeline(c *sample.Conversation, samples []sample.Sample) Timeline {
	t := Timeline{Conversation: *c, Turns: []TimelineTurn{}, Shape: metrics.ShapeOf(c, samples)}
	for i := range samples {
		s := &samples[i]
		g := &s.Timing
		t.Turns = append(t.Turns, TimelineTurn{
			Turn: s.Turn, Branch: s.Branch, Waits: s.Waits, ForkOf: s.ForkOf, Outcome: s.Outcome, Cause: s.Cause, Due: g.Due, Sent: g.Sent,
			FirstToken: g.FirstToken, Done: g.Done, NextStart: g.NextStart, NextDone: g.NextDone, Critical: slices.Contains(t.Path, s.Turn),
		})
	}
	slices.SortStableFunc(t.Turns, func(a, b TimelineTurn) int {
		if a.Sent.Set() != b.Sent.Set() {
			return cmp.Compare(b.Sent, a.Sent)
		}
		return cmp.Compare(a.Sent, b.Sent)
	})
	return t
}

// bars is the width of a timeline's drawing.
const bars = 40

// WriteTimeline draws a conversation in 80 columns.
func WriteTimeline(w io.Writer, t *Timeline) error {
	var p page
	c := &t.Conversation
	p.text(fmt.Sprintf("%s of %s, repeat %d, user %d: %s", c.Trajectory, c.Workload, c.Repeat, c.User, c.State))
	from, to := t.span()
	p.text(fmt.Sprintf("from %s s to %s s after the run's epoch: %s ms", inSeconds(from), inSeconds(to), inMillis(to-from)))
	p.line("")
	p.line("  turn branch" + right("sent ms", 9) + right("ms", 9) + "  " + strings.Repeat("-", bars))
	for i := range t.Turns {
		p.turn(&t.Turns[i], from, to)
	}
	p.line("")
	p.line("* critical path   . due and not sent   - no token yet   = tokens   + agent's step")
	for _, f := range t.Fans {
		p.text(fmt.Sprintf("Turn %d waited for %s: fan-out at %s ms, fan-in at %s ms (turn %d, the slowest), %s ms; the fastest was done %s ms earlier.",
			f.Turn, counted(f.Branches, "branch", "branches"), inMillis(f.Out-from), inMillis(f.In-from), f.Slowest, inMillis(f.In-f.Out), inMillis(f.In-f.Fastest)))
	}
	if len(t.Path) > 0 {
		p.text(fmt.Sprintf("Critical path: turns %s; %s ms of it in flight.", numbers(t.Path), inMillis(sample.Offset(t.Engine))))
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}

// span is what a timeline draws.
func (t *Timeline) span() (from, to sample.Offset) {
	from, to = t.Conversation.Start, max(t.Conversation.Start, t.Conversation.End)
	for i := range t.Turns {
		x := &t.Turns[i]
		for _, at := range []sample.Offset{x.Due, x.Sent} {
			if at.Set() {
				from = min(from, at)
			}
		}
		to = max(to, x.Sent, x.Done, x.NextDone)
	}
	return from, to
}

// turn draws one turn.
func (p *page) turn(t *TimelineTurn, from, to sample.Offset) {
	mark := "  "
	if t.Critical {
		mark = "* "
	}
	branch := "main"
	if t.Branch != 0 {
		branch = strconv.FormatUint(uint64(t.Branch), 10)
	}
	row := mark + right(strconv.FormatUint(uint64(t.Turn), 10), 4) + right(branch, 7)
	if !t.Sent.Set() {
		p.line(row + "  " + string(t.Outcome) + ": " + plain(t.Cause))
		return
	}
	took := "-"
	if t.Done.Set() {
		took = inMillis(t.Done - t.Sent)
	}
	row += right(inMillis(t.Sent-from), 9) + right(took, 9) + "  " + string(t.bar(from, to))
	if t.Outcome != sample.OK {
		row += " " + string(t.Outcome)
	}
	p.line(row)
}

// bar is the drawing of one turn.
func (t *TimelineTurn) bar(from, to sample.Offset) []byte {
	bar := []byte(strings.Repeat(" ", bars))
	draw := func(a, b sample.Offset, with byte) {
		if !a.Set() || !b.Set() || to <= from {
			return
		}
		first, last := place(a, from, to), max(place(b, from, to), place(a, from, to)+1)
		for i := first; i < min(last, bars); i++ {
			bar[i] = with
		}
	}
	done := t.Done
	if !done.Set() {
		done = to
	}
	if t.Sent > t.Due {
		draw(t.Due, t.Sent, '.')
	}
	draw(t.Sent, done, '-')
	draw(t.FirstToken, done, '=')
	draw(t.NextStart, t.NextDone, '+')
	return bar
}

// place is the column of an instant.
func place(at, from, to sample.Offset) int {
	return int(int64(at-from) * bars / max(int64(to-from), 1))
}

func inMillis(d sample.Offset) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 1, 64) }

func inSeconds(d sample.Offset) string { return strconv.FormatFloat(float64(d)/1e9, 'f', 3, 64) }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func numbers(list []uint32) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatUint(uint64(n), 10)
	}
	return strings.Join(words, ", ")
}
