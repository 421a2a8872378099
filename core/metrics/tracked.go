package metrics

import (
	"slices"

	"paceline/core/sample"
	"paceline/core/verdict"
)

// Tracked are the turns that MLPerf's own files are made of, as lists: those sent while its window, first-idle, was open.
// MLPerf, in Metrics, has figures of the same turns. As there, only turns that ended ok are in the lists.
type Tracked struct {
	Window                Window
	Issued, OK, Failed    int
	Last                  sample.Offset  // Done of the last ok one; the window's Open where none is
	TTFT, Latency         []int64        // nanoseconds
	TPOT                  []int64        // picoseconds per token after the first chunk
	Output, Input         []int64        // tokens
	OutputTime            int64          // nanoseconds of the turns in Output
	Finish                map[string]int // by finish reason; none: it was not told
	FullRun               []int64        // output tokens of every turn that was measured, inside the window or not
	WarmIssued, WarmDone  int            // of the warm-up
	WarmStart, WarmEnd    sample.Offset  // Unset where there was none
	Uncounted, Usage      int            // ok turns, measured, without a count, and with one that is only the target's own
	FullIssued, FullRunOK int            // turns that were sent since measuring began, and those that ended ok
	Trajectories          int            // conversations that began since then
	Whole                 int            // those that were played to their end
}

// TrackedOf finds them.
func TrackedOf(in *Input) *Tracked {
	d := join(in)
	windows, _ := d.windows()
	t := &Tracked{Window: windows[0], Last: windows[0].Open, WarmStart: sample.Unset, WarmEnd: sample.Unset, Finish: map[string]int{}}
	for _, c := range d.convs {
		if c.Phase != sample.Warmup {
			t.Trajectories++
			if c.State == sample.Complete {
				t.Whole++
			}
		}
	}
	for i, u := range d.turns {
		if u.Phase == sample.Warmup {
			t.warm(u)
			continue
		}
		if u.Timing.Sent.Set() {
			t.FullIssued++
		}
		if u.ok() {
			t.whole(u, countAt(in, i))
		}
		if t.Window.Contains(u.Timing.Sent) {
			t.tracked(u)
		}
	}
	return t
}

// warm counts a turn of the warm-up.
func (t *Tracked) warm(u *turn) {
	if !u.Timing.Sent.Set() {
		return
	}
	t.WarmIssued++
	if u.ok() {
		t.WarmDone++
	}
	if !t.WarmStart.Set() || u.Timing.Sent < t.WarmStart {
		t.WarmStart = u.Timing.Sent
	}
	t.WarmEnd = max(t.WarmEnd, u.end)
}

// whole takes an ok turn into the figures of the full run.
func (t *Tracked) whole(u *turn, counted *verdict.Count) {
	t.FullRunOK++
	empty := slices.Contains(u.Notes, sample.NoteEmptyAnswer)
	switch {
	case counted != nil && counted.Output != nil:
	case empty:
	case u.source == SourceUsage:
		t.Usage++
	default:
		t.Uncounted++
	}
	if u.told() {
		t.FullRun = append(t.FullRun, u.out.n)
	}
}

// told reports whether the turn has an output length: an answer without anything has none.
func (t *turn) told() bool {
	return t.out.ok && (t.out.n > 0 || !slices.Contains(t.Notes, sample.NoteEmptyAnswer))
}

// tracked takes a turn that was sent inside the window.
func (t *Tracked) tracked(u *turn) {
	t.Issued++
	if !u.ok() {
		t.Failed++
		return
	}
	t.OK++
	t.Last = max(t.Last, u.Timing.Done)
	reason := "none"
	if u.Answer != nil && u.Answer.FinishReason != "" {
		reason = u.Answer.FinishReason
	}
	t.Finish[reason]++
	for _, f := range []struct {
		to *[]int64
		of func() (int64, bool)
	}{{&t.TTFT, u.ttft}, {&t.Latency, u.latency}, {&t.TPOT, u.mlperfTPOT}} {
		if v, ok := f.of(); ok {
			*f.to = append(*f.to, v)
		}
	}
	if u.in.ok {
		t.Input = append(t.Input, u.in.n)
	}
	if ns, ok := u.latency(); ok && u.told() {
		t.Output = append(t.Output, u.out.n)
		t.OutputTime += ns
	}
}
