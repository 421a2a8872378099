package judge

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// scene is one conversation rebuilt: what was planned, and what each turn's request carried.
type scene struct {
	key        conversation
	trajectory *trajectory.Trajectory
	turns      map[uint32]*scenedTurn
}

// scenedTurn is one turn of a scene. Messages are shared between turns.
type scenedTurn struct {
	*trajectory.Turn
	history  [][]byte // nil where it cannot be told: a live answer before it is missing
	known    bool     // history is told
	appended [][]byte
}

// scene rebuilds the conversation whose samples stand at [from, to) of the judging order.
func (m *Material) scene(from, to int) (*scene, error) {
	id := &m.sample(from).ID
	plan := m.plans.Find(*id)
	if plan == nil {
		return nil, fmt.Errorf("trajectory %q: the journal holds no plan of it", id.Trajectory)
	}
	t, err := journal.DecodeTrajectory(m.c.Run.Content, plan.Content)
	if err != nil {
		return nil, err
	}
	s := &scene{key: of(id), trajectory: t, turns: map[uint32]*scenedTurn{}}
	var part *sample.Part
	if c := m.convs[s.key]; c != nil {
		part = c.Part
	}
	first, end := part.Bounds(len(t.Turns))
	turns := slices.Clip(t.Turns[:end])
	for _, l := range m.lives[s.key] {
		step, err := journal.DecodeStep(m.c.Run.Content, l.Step)
		if err != nil {
			return nil, fmt.Errorf("trajectory %q, step after turn %d: %w", id.Trajectory, l.Turn, err)
		}
		turns = append(turns, step.Turns...)
	}
	if features := trajectory.UnplayableTurns(turns, 0); len(features) > 0 {
		return nil, &trajectory.UnplayableError{Trajectory: t.ID, Features: features}
	}
	answers := map[uint32]*sample.Sample{}
	for place := from; place < to; place++ {
		answers[m.sample(place).Turn] = m.sample(place)
	}
	return s, m.replay(s, turns, first, answers, id.Repeat)
}

// replay goes through the turns as the run did: each turn's messages join its branch's history, then its answer does. Those
// before first were not played.
func (m *Material) replay(s *scene, turns []trajectory.Turn, first int, answers map[uint32]*sample.Sample, repeat uint32) error {
	g := trajectory.NewGraph(turns)
	r := &replayed{
		m: m, s: s, graph: g, first: first, answers: answers, repeat: repeat, stories: map[uint32]story{}, forks: make([]story, len(turns)),
		drafts: trajectory.Drafter{Turns: turns, History: m.c.of(s.key.workload).History, Results: m.c.ToolResults},
	}
	r.composed = m.composed(s, r.drafts.History, repeat)
	if r.composed.script != nil {
		r.drafts.Made = make([]trajectory.Made, len(turns))
	}
	for _, i := range g.Order() {
		if err := r.turn(i); err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", s.trajectory.ID, turns[i].Index, err)
		}
	}
	return nil
}

// replayed is a conversation while it is rebuilt.
type replayed struct {
	m      *Material
	s      *scene
	graph  *trajectory.Graph
	drafts trajectory.Drafter
	composed
	first   int // the first turn that was played
	answers map[uint32]*sample.Sample
	repeat  uint32
	marks   []int                      // how long the history was with what each turn appends
	left    int                        // turns that were left out so far
	stood   map[uint32]json.RawMessage // what stood for answers that were not asked for
	stories map[uint32]story           // by branch
	forks   []story                    // after each turn that a branch goes on from
}

// story is one history; it is not known beyond a live answer that is missing.
type story struct {
	history *chat.History
	known   bool
}

func (r *replayed) turn(i int) error {
	t := &r.drafts.Turns[i]
	turn := &scenedTurn{Turn: t}
	r.s.turns[t.Index] = turn
	at, begun := r.stories[t.Branch]
	if !begun {
		at = r.begin(i)
	}
	if err := r.make(i); err != nil {
		return err
	}
	list, err := r.messages(i, !begun && r.graph.Fork[i] < 0)
	if err != nil {
		return err
	}
	if !at.known {
		for _, message := range list {
			turn.appended = append(turn.appended, message)
		}
		r.stories[t.Branch] = at
		return nil
	}
	before := at.history.Messages()
	if _, err := at.history.Append(list...); err != nil {
		return err
	}
	turn.known = true
	turn.history, turn.appended = r.trim(i, at.history, len(at.history.Messages())-len(before))
	if at.known, err = r.answer(i, at.history); err != nil {
		return err
	}
	r.stories[t.Branch] = at
	if r.graph.Forked(i) {
		r.forks[i] = story{at.history.Fork(), at.known}
	}
	return nil
}

// begin is the history that a branch starts with.
func (r *replayed) begin(i int) story {
	if r.exact() {
		return story{}
	}
	if from := r.graph.Fork[i]; from >= 0 {
		if at := r.forks[from]; at.known {
			return story{at.history.Fork(), true}
		}
		return story{}
	}
	c := &r.m.c
	h := chat.NewHistory(c.Thinking)
	if c.RequireContent {
		h.RequireContent()
	}
	if c.ToolResults == chat.Merged {
		h.MergeCalls()
	}
	return story{h, true}
}

// messages are what turn i added; opening says that its history began with them, so that they carry the salt.
func (r *replayed) messages(i int, opening bool) ([]json.RawMessage, error) {
	if r.exact() {
		return nil, nil
	}
	drafts, err := r.drafts.Append(i)
	if err != nil {
		return nil, err
	}
	list, holes := chat.Fragments(drafts)
	if opening && r.m.c.Salter != nil && !filler.OwnSalt(r.drafts.Turns[i:]) {
		id := sample.Qualified(r.s.key.workload, r.s.trajectory.ID, r.m.c.mixed())
		if list, holes, err = r.m.c.Salter.Fragments(drafts, id, r.repeat); err != nil {
			return nil, err
		}
	}
	return chat.Fill(list, holes, func(turn uint32) []byte {
		if m, stood := r.stood[turn]; stood {
			return chat.AnswerInside(m, r.m.c.Thinking)
		}
		if x := r.answers[turn]; x != nil && x.Answer != nil {
			return chat.AnswerInside(x.Answer.Message, r.m.c.Thinking)
		}
		return nil
	}), nil
}

// answer lets the answer of turn i join a history, and reports false where there is none, so that no later request of the
// branch can be told.
func (r *replayed) answer(i int, h *chat.History) (bool, error) {
	if r.drafts.History == chat.Recorded {
		recorded, err := r.drafts.Recorded(i)
		if err == nil && recorded != nil { // without one, the next turn's messages follow at once
			err = h.Recorded(recorded...)
		}
		return true, err
	}
	if i < r.first {
		return true, r.standIn(i, h)
	}
	x := r.answers[r.drafts.Turns[i].Index]
	if x == nil || x.Outcome != sample.OK {
		return false, nil
	}
	return true, h.Live(x.Answer)
}

// array writes messages as a JSON array, each as it is. They are fragments as a body takes them: an empty one joins its
// neighbours.
func array(fragments [][]byte) []byte {
	size := 2
	for _, f := range fragments {
		size += len(f) + 1
	}
	b := append(make([]byte, 0, size), '[')
	joined := true // no comma before what comes
	for _, f := range fragments {
		if len(f) == 0 {
			joined = true
			continue
		}
		if !joined {
			b = append(b, ',')
		}
		joined = false
		b = append(b, f...)
	}
	return append(b, ']')
}
