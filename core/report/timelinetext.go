package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"paceline/core/sample"
)

// bars is the width of a timeline's drawing.
const bars = 40

// WriteTimeline draws a conversation in 80 columns.
func WriteTimeline(w io.Writer, t *Timeline) error {
	var p page
	from, to := t.span()
	p.text(t.title())
	p.text(t.about())
	p.line("")
	p.line("  turn branch" + right("sent ms", 9) + right("ms", 9) + "  " + strings.Repeat("-", bars))
	for i := range t.Turns {
		p.turn(&t.Turns[i], from, to)
	}
	p.line("")
	p.line("* critical path   . due and not sent   - no token yet   = tokens   + agent's step")
	for _, note := range t.notes() {
		p.text(note)
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}

func (t *Timeline) title() string {
	c := &t.Conversation
	return fmt.Sprintf("%s of %s, repeat %d, user %d: %s", c.Trajectory, c.Workload, c.Repeat, c.User, c.State)
}

func (t *Timeline) about() string {
	from, to := t.span()
	return fmt.Sprintf("from %s s to %s s after the run's epoch: %s ms", inSeconds(from), inSeconds(to), inMillis(to-from))
}

// notes tell of the fans and the critical path.
func (t *Timeline) notes() []string {
	var list []string
	from, _ := t.span()
	for _, f := range t.Fans {
		text := fmt.Sprintf("Turn %d waited for %s: fan-out at %s ms, fan-in at %s ms (turn %d",
			f.Turn, branches(f.Branches), inMillis(f.Out-from), inMillis(f.In-from), f.Slowest)
		took := inMillis(f.In - f.Out)
		if f.Branches > 1 {
			text += fmt.Sprintf(", the slowest), %s ms; the fastest was done %s ms earlier.", took, inMillis(f.In-f.Fastest))
		} else {
			text += "), " + took + " ms."
		}
		list = append(list, text)
	}
	if len(t.Path) > 0 {
		list = append(list, fmt.Sprintf("Critical path: turns %s; %s ms of it in flight.", numbers(t.Path), inMillis(sample.Offset(t.Engine))))
	}
	return list
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
	row := mark + right(strconv.FormatUint(uint64(t.Turn), 10), 4) + right(t.branch(), 7)
	if !t.Sent.Set() {
		p.line(row + "  " + plain(t.ended()))
		return
	}
	row += right(inMillis(t.Sent-from), 9) + right(t.took(), 9) + "  " + string(t.bar(from, to))
	if t.Outcome != sample.OK {
		row += " " + t.ended()
	}
	p.line(row)
}

func (t *TimelineTurn) branch() string {
	if t.Branch == 0 {
		return "main"
	}
	return strconv.FormatUint(uint64(t.Branch), 10)
}

func (t *TimelineTurn) took() string {
	if !t.Done.Set() {
		return "-"
	}
	return inMillis(t.Done - t.Sent)
}

// ended is the turn's outcome, with the cause of not being sent.
func (t *TimelineTurn) ended() string {
	if t.Outcome == sample.NotSent {
		return string(t.Outcome) + ": " + t.Cause
	}
	return string(t.Outcome)
}

// part is a stretch of a turn: its mark in text and its class on a page.
type part struct {
	from, to sample.Offset
	mark     byte
	class    string
}

// parts are those of a turn that was sent; what was not done goes on to the end.
func (t *TimelineTurn) parts(end sample.Offset) []part {
	done := t.Done
	if !done.Set() {
		done = end
	}
	first := done
	if t.FirstToken.Set() {
		first = t.FirstToken
	}
	var list []part
	add := func(from, to sample.Offset, mark byte, class string) {
		if from.Set() && to > from {
			list = append(list, part{from, to, mark, class})
		}
	}
	add(t.Due, t.Sent, '.', "late")
	add(t.Sent, first, '-', "wait")
	add(first, done, '=', "tokens")
	add(t.NextStart, t.NextDone, '+', "step")
	return list
}

// bar is the drawing of one turn.
func (t *TimelineTurn) bar(from, to sample.Offset) []byte {
	bar := []byte(strings.Repeat(" ", bars))
	for _, p := range t.parts(to) {
		first := place(p.from, from, to)
		for i := first; i < min(max(place(p.to, from, to), first+1), bars); i++ {
			bar[i] = p.mark
		}
	}
	return bar
}

// place is the column of an instant.
func place(at, from, to sample.Offset) int {
	return int(int64(at-from) * bars / max(int64(to-from), 1))
}

func inMillis(d sample.Offset) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 1, 64) }

func inSeconds(d sample.Offset) string { return strconv.FormatFloat(float64(d)/1e9, 'f', 3, 64) }

func branches(n int) string {
	if n == 1 {
		return "1 branch"
	}
	return fmt.Sprintf("%d branches", n)
}

func numbers(list []uint32) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatUint(uint64(n), 10)
	}
	return strings.Join(words, ", ")
}
