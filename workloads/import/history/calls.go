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
	Start, End int64  // nanoseconds, or frame.NoTime
	Delay      uint64 // nanoseconds of wait before it, used where not all times are told
	Input      []sdk.Message
	Output     *sdk.Message // nil: not on record
	Tools      []byte       // JSON array
	Params     []byte       // JSON object
	MaxTokens  uint32
	Usage      Usage
	Labels     []sdk.Label
	// Linked says that Parent names the request (by its place in the list, -1 for none) from whose answer this one goes on,
	// and that Input is only what is new since.
	Linked bool
	Parent int
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
	if len(t.Turns) > 0 {
		t.Turns[b.last()].Final = true
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

// last gives the turn that ended last.
func (b *brancher) last() int {
	last := 0
	for i, end := range b.ends {
		if end >= b.ends[last] {
			last = i
		}
	}
	return last
}

func (b *brancher) add(c *Call) {
	n := len(b.turns)
	turn := sdk.Turn{
		Index: uint32(n), Recorded: c.Output, Params: c.Params, MaxTokens: c.MaxTokens, Labels: c.Labels, Truth: c.Usage.Truth(),
	}
	start, end := c.Start, c.End
	if !b.timed { // by order
		start, end = int64(n), int64(n)
	}
	previous := -1
	if c.Linked {
		previous = b.linked(&turn, c, start)
	} else {
		previous = b.matched(&turn, c, start)
	}
	b.wait(&turn, previous, start)
	if !b.timed {
		turn.DelayNs = c.Delay
	}
	if turn.Labels == nil {
		turn.Labels = Request(KindOf(turn.Append))
	}
	b.turns, b.ends = append(b.turns, turn), append(b.ends, end)
}

// matched puts a request on the branch whose history it goes on from, or on one of its own. It gives the turn before it
// there, -1 for none.
func (b *brancher) matched(turn *sdk.Turn, c *Call, start int64) (previous int) {
	sums := make([]uint64, len(c.Input), len(c.Input)+1)
	for i := range c.Input {
		sums[i] = sum(&c.Input[i])
	}
	at := b.branch(sums, start)
	if at < 0 {
		at = len(b.lines)
		b.lines = append(b.lines, line{turn: -1})
	}
	l := &b.lines[at]
	known := len(l.history)
	if previous = l.turn; previous >= 0 {
		told := b.turns[previous].Recorded != nil
		if !told && known+1 < len(sums) && sums[known]&answerBit != 0 {
			known, told = known+1, true // the answer that was not recorded with its request
		}
		if told {
			m := c.Input[known-1] // the answer as later requests have it
			b.turns[previous].Recorded = &m
		}
	}
	turn.Branch, turn.Append = uint32(at), c.Input[known:]
	l.history, l.turn = sums, len(b.turns)
	if c.Output != nil {
		l.history = append(sums, sum(c.Output))
	}
	return previous
}

// linked puts a request on the branch of its parent, where nothing else went on from there, or on one of its own.
func (b *brancher) linked(turn *sdk.Turn, c *Call, start int64) (previous int) {
	if c.Parent >= 0 {
		branch := b.turns[c.Parent].Branch
		if b.lines[branch].turn == c.Parent && b.ends[c.Parent] <= start {
			turn.Branch, turn.Append = branch, c.Input
			b.lines[branch].turn = len(b.turns)
			return c.Parent
		}
	}
	turn.Branch, turn.Append = uint32(len(b.lines)), append(b.history(c.Parent), c.Input...)
	b.lines = append(b.lines, line{turn: len(b.turns)})
	return -1
}

// history gives all messages up to a turn's answer.
func (b *brancher) history(turn int) []sdk.Message {
	var out []sdk.Message
	for i := 0; i <= turn; i++ {
		t := &b.turns[i]
		if t.Branch != b.turns[turn].Branch {
			continue
		}
		out = append(out, t.Append...)
		if t.Recorded != nil {
			out = append(out, *t.Recorded)
		}
	}
	return out
}

// branch gives the branch that has the longest history with which the request begins; -1: none. The latest answer needs
// only be an answer there, since it is often written in another form: one that is the same goes before one that is not. Then
// clocks may even say that the request began before that answer was there, by a little or by the skew of two machines.
// A request that adds nothing is no next turn: it asks once more, and begins a branch.
func (b *brancher) branch(sums []uint64, start int64) int {
	best, bestScore := -1, 0
	for i := range b.lines {
		l := &b.lines[i]
		n := len(l.history)
		if n == 0 || n >= len(sums) {
			continue
		}
		body, score := n, 4*n
		if b.turns[l.turn].Recorded != nil {
			body--
		}
		if !slices.Equal(l.history[:body], sums[:body]) {
			continue
		}
		same := body < n && l.history[body] == sums[body]
		if body < n && !same {
			if sums[body]&answerBit == 0 {
				continue
			}
			score -= 2
		}
		if b.ends[l.turn] > start {
			if !same {
				continue
			}
			score--
		}
		if score >= bestScore {
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
		if t == len(b.turns) || t == previous { // the turn itself, or named already
			continue
		}
		if b.ends[t] > start || b.ends[t] < since {
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
	if m.Composed != nil {
		for i := range m.Composed.Pieces {
			if f := m.Composed.Pieces[i].Filler; f != nil {
				_, _ = h.Write(f.Key)
			}
		}
	}
	out := h.Sum64() &^ answerBit
	if roleOf(m) == "assistant" {
		out |= answerBit
	}
	return out
}

func roleOf(m *sdk.Message) string {
	if m.Composed != nil {
		return m.Composed.Role
	}
	role, _ := rawjson.Value(m.Json).Get("role").Text()
	return role
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
