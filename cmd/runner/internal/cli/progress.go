package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"paceline/core/sample"
	"paceline/core/sched"
)

// progress shows how a run goes: one line that is written over on a terminal, a plain line every ten seconds elsewhere.
type progress struct {
	out      io.Writer
	live     bool // a terminal
	counts   sched.Progress
	phase    atomic.Pointer[sample.Phase]
	duration time.Duration // time limit of the load; 0: none
	began    time.Time
	last     reading
	gates    *liveGates // of a sweep's point; nil: none
	stop     chan struct{}
	done     sync.WaitGroup
}

// reading is what the line before showed, to tell a rate from.
type reading struct {
	at     time.Time
	tokens int64
}

// startProgress shows nothing where quiet.
func startProgress(out io.Writer, quiet bool, duration time.Duration, gates *liveGates) *progress {
	p := &progress{out: out, live: isTerminal(out), duration: duration, gates: gates, began: time.Now(), stop: make(chan struct{})}
	p.last.at = p.began
	if quiet {
		return p
	}
	every := 10 * time.Second
	if p.live {
		every = 500 * time.Millisecond
	}
	p.done.Go(func() { p.run(every) })
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns the terminal has now.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 1 {
			return n
		}
	}
	return columns
}

// cut shortens a line that would wrap, since a wrapped line cannot be written over.
func cut(line string, width int) string {
	if len(line) < width {
		return line
	}
	return line[:max(width-2, 0)] + "~"
}

// Phase is told each change of phase; it returns at once.
func (p *progress) Phase(phase sample.Phase) { p.phase.Store(&phase) }

func (p *progress) run(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			p.show(p.line(now))
		case <-p.stop:
			if p.live {
				fmt.Fprint(p.out, "\r\x1b[K")
			}
			return
		}
	}
}

func (p *progress) show(line string) {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K"+cut(line, width(p.out)))
		return
	}
	fmt.Fprintln(p.out, line)
}

// End stops showing and leaves a clean line.
func (p *progress) End() {
	close(p.stop)
	p.done.Wait()
}

func (p *progress) line(now time.Time) string {
	n := p.counts.Counts()
	phase := sample.Prepare
	if ph := p.phase.Load(); ph != nil {
		phase = *ph
	}
	rate := 0.0
	if span := now.Sub(p.last.at).Seconds(); span > 0 {
		rate = float64(n.OutputTokens-p.last.tokens) / span
	}
	p.last = reading{now, n.OutputTokens}
	text := fmt.Sprintf("%s: %d/%d users, %d turns, %d failed, %.0f tokens/s", phase, n.Users, n.Asked, n.TurnsOK, n.TurnsFailed, rate)
	if n.Conversations > 0 {
		text += fmt.Sprintf(", %d/%d trajectories", n.Ended, n.Conversations)
	}
	if left, ok := p.left(now, n); ok {
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text + p.gates.text(now.Sub(p.began), n)
}

// left guesses the time to the end: from the time limit, or from the share of trajectories that have ended.
func (p *progress) left(now time.Time, n sched.Counts) (time.Duration, bool) {
	spent := now.Sub(p.began)
	guess, ok := time.Duration(0), false
	if n.Conversations > 0 && n.Ended > 0 {
		guess, ok = time.Duration(float64(spent)*float64(n.Conversations-n.Ended)/float64(n.Ended)), true
	}
	if p.duration > 0 {
		if limit := max(p.duration-spent, 0); !ok || limit < guess {
			guess, ok = limit, true
		}
	}
	return guess, ok
}
