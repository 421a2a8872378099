package metrics

import (
	"iter"

	"paceline/core/chat"
	"paceline/core/sample"
)

// arrival is one chunk of a stream at its instant.
type arrival struct {
	at   sample.Offset
	gap  int64 // nanoseconds since the chunk before; 0 for the first
	text bool  // it carried generated text
	head bool  // it is the first one that did
	sample.Chunk
}

// arrivals places the chunks in time. Gaps are whole microseconds, so the
// instants are tied to the exact FirstToken and never pass the exact LastToken.
func (t *turn) arrivals() iter.Seq[arrival] {
	return func(yield func(arrival) bool) {
		at, first := t.Timing.Sent, true
		for k := range t.Chunks.All() {
			a := arrival{Chunk: k, text: k.Channel != chat.NoText, gap: int64(k.GapMicros) * 1000}
			at += sample.Offset(a.gap)
			if a.text && first {
				a.head, first = true, false
				at = t.Timing.FirstToken
			}
			a.at = at
			if t.Timing.LastToken.Set() {
				a.at = min(a.at, t.Timing.LastToken)
			}
			if a.head {
				a.gap = 0
			}
			if !yield(a) {
				return
			}
		}
	}
}

// shape is what the chunks with text of one turn come to.
type shape struct {
	chunks, tokens int64
	all            bool // the server told the tokens of each
}

func shapeOf(chunks sample.Chunks) shape {
	s := shape{all: true}
	for k := range chunks.All() {
		if k.Channel == chat.NoText {
			continue
		}
		s.chunks++
		s.tokens += told(k.Tokens).n
		s.all = s.all && k.Told
	}
	s.all = s.all && s.chunks > 0
	return s
}

// tokensIn is the number of the turn's output tokens that arrived inside w.
// The turn's count must be known. Where the server told each chunk's tokens
// they count at the chunk's instant, and what its total has beyond them at the
// last one; else the tokens are spread evenly from FirstToken to LastToken. An
// answer that was not streamed arrives as a whole.
func (t *turn) tokensIn(w Window) int64 {
	if !t.Timing.FirstToken.Set() {
		return inside(w, t.Timing.Done, t.out.n)
	}
	last := max(t.Timing.LastToken, t.Timing.FirstToken)
	if !w.Overlaps(t.Timing.FirstToken, last) {
		return 0
	}
	if !t.all || t.tokens > t.out.n {
		return spread(w, t.Timing.FirstToken, last, t.out.n)
	}
	n := inside(w, last, t.out.n-t.tokens)
	for a := range t.arrivals() {
		if a.text {
			n += inside(w, a.at, int64(a.Tokens))
		}
	}
	return n
}

func inside(w Window, at sample.Offset, n int64) int64 {
	if w.Contains(at) {
		return n
	}
	return 0
}

// spread counts those of n instants, evenly spaced from first to last, that w
// holds.
func spread(w Window, first, last sample.Offset, n int64) int64 {
	if n == 0 {
		return 0
	}
	if n == 1 || last <= first {
		return inside(w, first, n)
	}
	// Instant i is first + i (last - first) / (n - 1): before counts those that
	// lie before a border.
	before := func(border sample.Offset) int64 {
		if border <= first {
			return 0
		}
		return min(ceilDiv(int64(border-first), n-1, int64(last-first)), n)
	}
	return before(w.Close) - before(w.Open)
}

// perToken reports the weight of each text chunk in ITL: the tokens told, or
// one where the stream had one chunk per token (the end mark of a sequence
// counts as a token and has no text, so one more than chunks is one each too).
func (t *turn) perToken() (told, ok bool) {
	if t.all && t.tokens > 0 {
		return true, true
	}
	return false, t.out.ok && t.chunks > 0 && (t.out.n == t.chunks || t.out.n == t.chunks+1)
}
