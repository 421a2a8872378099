package metrics

import (
	"encoding/json"
	"math/bits"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// count is a number of tokens that may be unknown.
type count struct {
	n  int64
	ok bool
}

// most is the largest token count that is believed; beyond it a server's
// number is taken as not told.
const most = 1 << 40

func told(n uint64) count { return count{n: int64(n & (most - 1)), ok: n < most} }

func toldPtr(n *uint64) count {
	if n == nil {
		return count{}
	}
	return told(*n)
}

// turn is one sample with what follows from it alone.
type turn struct {
	*sample.Sample
	shape
	conv     *conversation
	position int // in its conversation, from 1; see planned
	out, in  count
	cached   count
	source   string // of out and in
	first    count  // tokens of the first chunk
	after    count  // tokens after the first chunk, for mlperf.tpot
	visible  bool   // content or a tool call came
	end      sample.Offset
}

// Sources of token counts.
const (
	SourceUsage   = "usage"
	SourceCounter = "counter"
	SourceNone    = "none"
)

// newTurn derives a turn. counted may be nil.
func newTurn(s *sample.Sample, counted *verdict.Count, counterFirst bool) *turn {
	t := &turn{Sample: s, shape: shapeOf(s.Chunks), source: SourceNone, end: sample.Unset}
	if s.Answer != nil && s.Answer.Usage.Reported {
		u := s.Answer.Usage
		t.out, t.in, t.source = told(u.CompletionTokens), told(u.PromptTokens), SourceUsage
		t.cached = toldPtr(u.CachedTokens)
	}
	if counted != nil && (counterFirst || t.source == SourceNone) && (counted.Output != nil || counted.Input != nil) {
		t.out, t.in, t.source = toldPtr(counted.Output), toldPtr(counted.Input), SourceCounter
	}
	t.first = t.firstChunk()
	if counted != nil && t.source == SourceCounter && counted.FirstChunk != nil {
		t.first = toldPtr(counted.FirstChunk)
	}
	t.after = count{t.out.n - t.first.n, t.out.ok && t.first.ok}
	if counted != nil && t.source == SourceCounter && counted.AfterFirstChunk != nil {
		t.after = toldPtr(counted.AfterFirstChunk)
	}
	t.visible = t.seen()
	return t
}

// firstChunk is what the server told of the first chunk's tokens, else 1.
func (t *turn) firstChunk() count {
	if t.source == SourceUsage {
		for k := range t.Chunks.All() {
			if k.Told && k.Channel != chat.NoText {
				return told(k.Tokens)
			}
			break
		}
	}
	return count{1, true}
}

// seen reports whether anything came that a user or an agent can act on.
func (t *turn) seen() bool {
	if t.Timing.FirstAnswer.Set() {
		return true
	}
	if t.Answer == nil {
		return false
	}
	var m struct {
		Content json.RawMessage   `json:"content"`
		Calls   []json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(t.Answer.Message, &m) != nil {
		return false
	}
	switch string(m.Content) {
	case "", "null", `""`, "[]":
		return len(m.Calls) > 0
	}
	return true
}

// mostTurns is above the number of turns of any trajectory; a journal may say anything.
const mostTurns = 1 << 20

// planned is the turn's position in its trajectory, from 1.
func (t *turn) planned() int {
	from, _ := t.conv.Part.Bounds(mostTurns)
	return from + t.position
}

func (t *turn) ok() bool { return t.Outcome == sample.OK }

// lost reports whether the turn counts as infinitely slow: it failed, or an
// earlier failure kept it from being sent.
func (t *turn) lost() bool {
	return t.Outcome.Failed() || t.Outcome == sample.NotSent && t.Cause == sample.CausePriorFailure
}

// ended is the instant by which the turn as a whole belongs to a window: its
// Done, else when it left flight, else the end of its conversation.
func (t *turn) ended() sample.Offset {
	switch {
	case t.Timing.Done.Set():
		return t.Timing.Done
	case t.end.Set():
		return t.end
	}
	return t.conv.End
}

func span(to, from sample.Offset) (int64, bool) {
	d, ok := to.Since(from)
	return int64(d), ok
}

func (t *turn) ttft() (int64, bool)       { return span(t.Timing.FirstToken, t.Timing.Sent) }
func (t *turn) ttftAnswer() (int64, bool) { return span(t.Timing.FirstAnswer, t.Timing.Sent) }
func (t *turn) latency() (int64, bool)    { return span(t.Timing.Done, t.Timing.Sent) }
func (t *turn) response() (int64, bool)   { return span(t.Timing.Done, t.Timing.Due) }

// decoding is the span and the number of tokens that TPOT divides; false
// below two tokens, or where all came in the first chunk.
func (t *turn) decoding() (ns, tokens int64, ok bool) {
	ns, ok = span(t.Timing.LastToken, t.Timing.FirstToken)
	if !ok || !t.out.ok || t.out.n < 2 {
		return 0, 0, false
	}
	tokens = t.out.n - 1
	if t.first.ok && t.first.n > 1 {
		tokens = t.out.n - t.first.n
	}
	return ns, tokens, tokens > 0
}

// tpot is in picoseconds per token.
func (t *turn) tpot() (int64, bool) {
	ns, tokens, ok := t.decoding()
	if !ok {
		return 0, false
	}
	return mulDiv(ns, 1000, tokens), true
}

// interactivity is in micro-tokens per second; false where no time passed.
func (t *turn) interactivity() (int64, bool) {
	ns, tokens, ok := t.decoding()
	if !ok || ns <= 0 {
		return 0, false
	}
	return mulDiv(tokens, 1_000_000_000*microToken, ns), true
}

// mlperfTPOT is (Done - FirstToken) over the tokens after the first chunk, in
// picoseconds.
func (t *turn) mlperfTPOT() (int64, bool) {
	ns, ok := span(t.Timing.Done, t.Timing.FirstToken)
	if !ok || !t.after.ok || t.after.n <= 0 {
		return 0, false
	}
	return mulDiv(ns, 1000, t.after.n), true
}

// normalized is latency over output tokens, in picoseconds.
func (t *turn) normalized() (int64, bool) {
	ns, ok := t.latency()
	if !ok || !t.out.ok || t.out.n == 0 {
		return 0, false
	}
	return mulDiv(ns, 1000, t.out.n), true
}

// decodeRate is (output - 1) / (latency - TTFT), in micro-tokens per second.
func (t *turn) decodeRate() (int64, bool) {
	ns, ok := span(t.Timing.Done, t.Timing.FirstToken)
	if !ok || ns <= 0 || !t.out.ok || t.out.n < 2 {
		return 0, false
	}
	return mulDiv(t.out.n-1, 1_000_000_000*microToken, ns), true
}

// scheduleError is Sent - Due without the time of connecting in between, and
// that time.
func (t *turn) scheduleError() (ns, connecting int64, ok bool) {
	ns, ok = span(t.Timing.Sent, t.Timing.Due)
	if !ok {
		return 0, 0, false
	}
	if t.Timing.ConnectStart.Set() && t.Timing.ConnectDone.Set() {
		from := max(t.Timing.ConnectStart, t.Timing.Due)
		to := min(t.Timing.ConnectDone, t.Timing.Sent)
		connecting = max(int64(to-from), 0)
	}
	return ns - connecting, connecting, true
}

// mulDiv is a b / c, rounded half up, for a, b >= 0 and c > 0; it holds the
// product in 128 bits, and stops at the largest int64.
func mulDiv(a, b, c int64) int64 {
	if a < 0 {
		return -mulDiv(-a, b, c)
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c)/2, 0)
	hi += carry
	if hi >= uint64(c) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, 1<<63-1))
}

// ceilDiv is a b / c rounded up, for a, b >= 0 and c > 0.
func ceilDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 1<<63 - 1
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	if r > 0 {
		q++
	}
	return int64(min(q, 1<<63-1))
}
