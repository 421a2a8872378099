package aiperfdag

import (
	"bytes"
	"slices"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
)

// A trajectory may have so many branches, turns and starts of sessions, and levels of sessions that start each other.
const (
	maxBranches = 4096
	maxTurns    = 100_000
	maxDepth    = 256
)

// builder plays the sessions of one trajectory, each as often as it is started.
type builder struct {
	sessions map[string]*session
	turns    []sdk.Turn
	tools    [][]byte // of the turns
	branches int
	plays    int
	depth    int
	size     int // bytes of all turns
}

func (b *builder) build(root *session) (*sdk.Trajectory, error) {
	main, err := b.play(root, origin{})
	if err != nil {
		return nil, err
	}
	t := &sdk.Trajectory{Turns: b.turns}
	if len(t.Turns) == 0 {
		return t, nil
	}
	final := len(t.Turns) - 1
	if n := len(main); n > 0 {
		final = int(main[n-1])
	}
	t.Turns[final].Final = true
	b.share(t)
	return t, nil
}

// origin is where a session starts.
type origin struct {
	after []uint32 // the turns it waits for; empty: none
	delay uint64   // before its first turn, beside that turn's own
	fork  *uint32  // the turn whose history it goes on from
	tools []byte   // of that turn
}

// play adds the turns of a session, and of all that it starts, and gives the turns with whose end the session ends.
func (b *builder) play(x *session, o origin) ([]uint32, error) {
	if x == nil { // its record is broken, and left out as asked for
		return o.after, nil
	}
	if b.plays++; b.plays > maxTurns {
		return nil, x.record.Fault("", "too-many-sessions", "at most 100,000 starts of sessions in a trajectory", "the sessions that start each other make more")
	}
	if b.depth++; b.depth > maxDepth {
		return nil, x.record.Fault("", "too-deep", "at most 256 levels", "sessions start each other %d levels deep", b.depth)
	}
	defer func() { b.depth-- }()
	if len(x.turns) == 0 {
		return b.rounds(x, o)
	}
	l := line{session: x, origin: o, tools: o.tools, joins: make([][]uint32, len(x.turns))}
	for i := range x.turns {
		if err := b.add(&l, i); err != nil {
			return nil, err
		}
		if i == 0 {
			if _, err := b.start(x.before, l.beside()); err != nil {
				return nil, err
			}
		}
		for _, s := range x.turns[i].starts {
			ends, err := b.play(b.sessions[s.child], l.from(s.fork))
			if err != nil {
				return nil, err
			}
			if s.join > 0 {
				l.joins[s.join] = append(l.joins[s.join], ends...)
			}
		}
	}
	return []uint32{l.last}, nil
}

// line is one session while it is played.
type line struct {
	session *session
	origin  origin
	branch  uint32
	last    uint32     // its latest turn
	tools   []byte     // of that turn
	joins   [][]uint32 // which turns of other sessions each turn waits for
}

// beside is where sessions start that start with this one.
func (l *line) beside() origin {
	o := origin{after: l.origin.after, delay: l.origin.delay}
	if l.origin.fork != nil {
		o.after = []uint32{*l.origin.fork}
	}
	return o
}

// from is where sessions start that the latest turn starts.
func (l *line) from(fork bool) origin {
	o := origin{after: []uint32{l.last}}
	if fork {
		index := l.last
		o.fork, o.tools = &index, l.tools
	}
	return o
}

// add adds turn i of the session.
func (b *builder) add(l *line, i int) error {
	w := &l.session.turns[i]
	if w.tools != nil {
		l.tools = w.tools
	}
	if err := b.room(l, w, i == 0 || l.session.whole); err != nil {
		return err
	}
	turn := sdk.Turn{
		Index: uint32(len(b.turns)), Branch: l.branch, Append: w.messages, DelayNs: w.delay, Params: w.params, MaxTokens: w.limit,
		Labels: history.Request(w.kind),
	}
	switch {
	case i > 0:
		if len(l.joins[i]) > 0 || l.session.whole {
			turn.After = after(append(l.joins[i], l.last))
		}
	case l.origin.fork != nil:
		turn.ForkOf = l.origin.fork
	case turn.Index > 0:
		turn.After = after(l.origin.after)
	}
	if i == 0 {
		turn.DelayNs += l.origin.delay
	}
	b.turns, b.tools = append(b.turns, turn), append(b.tools, l.tools)
	l.last = turn.Index
	return nil
}

// room counts what a turn takes, and takes a new branch for it where it begins one.
func (b *builder) room(l *line, w *turn, branch bool) error {
	r := l.session.record
	for i := range w.messages {
		b.size += len(w.messages[i].Json)
	}
	if b.size += len(w.params) + len(l.tools); b.size > frame.MaxTrace {
		return r.Fault("", "trajectory-too-large", "trajectories of at most 64 MiB", "the turns of the sessions that start each other have more than 64 MiB together")
	}
	if len(b.turns) == maxTurns {
		return r.Fault("", "too-many-turns", "at most 100,000 turns in a trajectory", "the sessions that start each other have more")
	}
	if !branch {
		return nil
	}
	if b.branches == maxBranches {
		return r.Fault("", "too-many-branches", "at most 4,096 branches in a trajectory", "the sessions that start each other make more")
	}
	l.branch = uint32(b.branches)
	b.branches++
	return nil
}

// start plays sessions that start together, and gives the ends of all.
func (b *builder) start(list []start, o origin) ([]uint32, error) {
	var all []uint32
	for _, s := range list {
		ends, err := b.play(b.sessions[s.child], o)
		if err != nil {
			return nil, err
		}
		all = append(all, ends...)
	}
	return all, nil
}

// rounds plays what an orchestrator starts.
func (b *builder) rounds(x *session, o origin) ([]uint32, error) {
	ends := o.after
	delay := o.delay
	for _, w := range x.rounds {
		all, err := b.start(w.starts, origin{after: ends, delay: delay + w.delay})
		if err != nil {
			return nil, err
		}
		if !x.gated {
			return o.after, nil
		}
		ends, delay = all, 0
	}
	return ends, nil
}

// after lists turns to wait for, each once and in order.
func after(turns []uint32) *sdk.After {
	list := slices.Clone(turns)
	slices.Sort(list)
	return &sdk.After{Turns: slices.Compact(list)}
}

// share makes tools that all turns have the trajectory's; others stay with their turns.
func (b *builder) share(t *sdk.Trajectory) {
	first := b.tools[0]
	if !slices.ContainsFunc(b.tools, func(tools []byte) bool { return !bytes.Equal(tools, first) }) {
		if first != nil {
			t.Defaults = &sdk.Defaults{Tools: first}
		}
		return
	}
	for i := range t.Turns {
		if b.tools[i] != nil {
			t.Turns[i].Params = history.WithMember(t.Turns[i].Params, "tools", b.tools[i])
		}
	}
}
