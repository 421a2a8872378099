package history

import (
	"bytes"
	"hash/fnv"
	"slices"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// Call is one request with its whole history.
type Call struct {
	Start, End int64 // nanoseconds, or frame.NoTime
	Input      []sdk.Message
	Output     *sdk.Message // nil: not on record
	Tools      []byte       // JSON array
	Params     []byte       // JSON object
	MaxTokens  uint32
	Usage      Usage
	Labels     []sdk.Label
}

// Trajectory makes turns of requests, given in the order of their start. A request that goes on from the whole history of
// one before it, its answer included, is the next turn of that one's branch, and appends only what is new; any other begins
// a branch with a history of its own. Requests that overlap in time are so on different branches. A request waits for the one
// before it on its branch and for all others that ended since and before it began; what passes from the last of those ends
// is its delay.
func Trajectory(calls []Call) *sdk.Trajectory {
	b := brancher{timed: true}
	for i := range calls {
		b.timed = b.timed && calls[i].Start != frame.NoTime && calls[i].End != frame.NoTime
	}
	t := &sdk.Trajectory{}
	for i := range calls {
		b.add(&calls[i])
	}
	t.Turns = b.turns
	last := 0
	for i := range t.Turns {
		if t.Turns[i].Branch == 0 {
			last = i
		}
	}
	if len(t.Turns) > 0 {
		t.Turns[last].Final = true
	}
	share(t, calls)
	return t
}

// line is one branch: the digests of its history with the latest answer in it, and its latest turn.
type line struct {
	history []uint64
	turn    int
}

type brancher struct {
	timed  bool
	origin int64 // start of the first
	turns  []sdk.Turn
	ends   []int64 // of the turns
	lines  []line
}

func (b *brancher) add(c *Call) {
	sums := make([]uint64, len(c.Input))
	for i := range c.Input {
		sums[i] = sum(&c.Input[i])
	}
	n := len(b.turns)
	turn := sdk.Turn{
		Index: uint32(n), Recorded: c.Output, Params: c.Params, MaxTokens: c.MaxTokens, Labels: c.Labels, Truth: c.Usage.Truth(),
	}
	start, end := c.Start, c.End
	if !b.timed { // by order
		start, end = int64(n), int64(n)
	}
	at, fresh := b.branch(sums, start), false
	if at < 0 {
		at, fresh = len(b.lines), true
		b.lines = append(b.lines, line{turn: -1})
	}
	l := &b.lines[at]
	turn.Branch, turn.Append = uint32(at), c.Input[len(l.history):]
	if !fresh && b.turns[l.turn].Recorded != nil {
		m := c.Input[len(l.history)-1] // the answer as later requests have it
		b.turns[l.turn].Recorded = &m
	}
	b.wait(&turn, l.turn, start)
	if turn.Labels == nil {
		turn.Labels = Request(kindOf(turn.Append))
	}
	l.history, l.turn = sums, n
	if c.Output != nil {
		l.history = append(sums, sum(c.Output))
	}
	b.turns, b.ends = append(b.turns, turn), append(b.ends, end)
}

// branch gives the branch that has the longest history with which the request begins; -1: none. The latest answer needs
// only be an answer there, since it is often written in another form: one that is the same goes before one that is not.
func (b *brancher) branch(sums []uint64, start int64) int {
	best, bestScore := -1, 0
	for i := range b.lines {
		l := &b.lines[i]
		n := len(l.history)
		if n > len(sums) || b.ends[l.turn] > start {
			continue
		}
		body := n
		if b.turns[l.turn].Recorded != nil {
			body--
		}
		if !slices.Equal(l.history[:body], sums[:body]) {
			continue
		}
		score := 2 * n
		if body < n && l.history[body] != sums[body] {
			if sums[body]&answerBit == 0 {
				continue
			}
			score--
		}
		if score >= bestScore && score > 0 {
			best, bestScore = i, score
		}
	}
	return best
}

// wait says what the turn waits for: previous is the turn before it on its branch, -1 for none. A new branch waits for the
// request that ended last, or, where none has ended, for its moment after the start of all.
func (b *brancher) wait(turn *sdk.Turn, previous int, start int64) {
	if len(b.turns) == 0 {
		b.origin = start
		return
	}
	from, after := b.origin, []uint32(nil)
	if previous >= 0 {
		from, after = b.ends[previous], []uint32{uint32(previous)}
	}
	since := from
	for i := range b.lines {
		t := b.lines[i].turn
		if t < 0 || t == previous || b.ends[t] > start || b.ends[t] < since {
			continue
		}
		if previous < 0 {
			after, since = nil, b.ends[t]
		}
		after = append(after, uint32(t))
		from = max(from, b.ends[t])
	}
	slices.Sort(after)
	if previous < 0 || len(after) > 1 {
		turn.After = &sdk.After{Turns: after}
	}
	if b.timed && start > from {
		turn.DelayNs = uint64(start - from)
	}
}

// answerBit is set in the digests of assistant messages.
const answerBit = 1

// sum is the digest of a message.
func sum(m *sdk.Message) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(m.Json)
	out := h.Sum64() &^ answerBit
	if roleOf(m) == "assistant" {
		out |= answerBit
	}
	return out
}

func roleOf(m *sdk.Message) string {
	role, _ := rawjson.Value(m.Json).Get("role").Text()
	return role
}

func kindOf(list []sdk.Message) string {
	if n := len(list); n > 0 && roleOf(&list[n-1]) == "tool" {
		return "tool"
	}
	return "user"
}

// share makes tools and parameters that all requests have the defaults of the trajectory; others stay with their turns.
func share(t *sdk.Trajectory, calls []Call) {
	var defaults sdk.Defaults
	tools, params := true, true
	for i := range calls {
		tools = tools && bytes.Equal(calls[i].Tools, calls[0].Tools)
		params = params && bytes.Equal(calls[i].Params, calls[0].Params)
	}
	for i := range t.Turns {
		if params {
			defaults.Params, t.Turns[i].Params = calls[i].Params, nil
		}
		if tools {
			defaults.Tools = calls[i].Tools
		} else if calls[i].Tools != nil {
			t.Turns[i].Params = WithMember(t.Turns[i].Params, "tools", calls[i].Tools)
		}
	}
	if defaults.Params != nil || defaults.Tools != nil {
		t.Defaults = &defaults
	}
}

// WithMember adds a member to a JSON object, nil standing for an empty one. A missing value adds nothing.
func WithMember(object []byte, name string, v rawjson.Value) []byte {
	if v.Missing() {
		return object
	}
	var out []byte
	if n := len(object); n > 2 {
		out = append(append(out, object[:n-1]...), ',')
	} else {
		out = append(out, '{')
	}
	out = rawjson.AppendString(out, name)
	out = append(out, ':')
	return append(rawjson.AppendCompact(out, v), '}')
}
