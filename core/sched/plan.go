package sched

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"paceline/core/chat"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// plan is one trajectory, ready to be played: what can be done before a conversation starts is done here, off the timed
// path. It is shared by all conversations that play it and is not changed.
type plan struct {
	trajectory *trajectory.Trajectory // nil where planning failed
	texts      []text                 // what each turn says, of the first pass
	openings   []opening              // turns that begin a history, rising
	shells     []*chat.Shell          // what surrounds each turn's messages
	graph      *trajectory.Graph      // nil: the turns follow one another
	kept       map[uint32]bool        // turns whose answers others hold
	size       int64
	err        error // *PlanError or *RefusedError

	from, to   int             // the part that is played, by positions
	skipped    *sample.Skipped // why it is not played; nil: nothing speaks against it
	over       *sample.Skipped // the first turn beyond the longest context; nil: none is
	left       []int           // by position: turns that the request leaves out; nil: none does
	leftTokens []int64         // of those; nil: nobody planned them
	longest    int64           // tokens that a turn needs at most, where there is a longest context
	by         string          // how that is known
}

var errNothing = errors.New("the workload gave no trajectory and no error")

// makePlan asks the source. ok is false where ctx ended first.
func (r *run) makePlan(ctx context.Context, m *member, item load.Item) (p *plan, ok bool) {
	t, err := m.Source.Plan(ctx, item.Index, item.Repeat)
	if t == nil && err == nil {
		err = errNothing
	}
	if ctx.Err() != nil {
		return nil, false
	}
	if err != nil {
		return &plan{err: &PlanError{Workload: m.Workload, Index: item.Index, Repeat: item.Repeat, Err: err}}, true
	}
	p = &plan{trajectory: t, size: t.Size(), to: len(t.Turns)}
	if err := r.ready(ctx, m, p); err != nil {
		p.err = m.refuse(item, t.ID, err)
	}
	r.planned(m, p, item.Repeat)
	return p, true
}

// planned records a plan, with why it is not played where the recorder keeps that.
func (r *run) planned(m *member, p *plan, repeat uint32) {
	if k, ok := r.need.Recorder.(Skipper); ok && p.skipped != nil {
		k.SkippedIn(m.Workload, p.trajectory, repeat, *p.skipped)
		return
	}
	r.need.Recorder.PlannedIn(m.Workload, p.trajectory, repeat)
}

func (m *member) refuse(item load.Item, id string, err error) error {
	return &RefusedError{Workload: m.Workload, Trajectory: id, Index: item.Index, Repeat: item.Repeat, Err: err}
}

// ready fills the plan's parts; an error refuses the trajectory.
func (r *run) ready(ctx context.Context, m *member, p *plan) error {
	t := p.trajectory
	if len(t.Turns) == 0 {
		return errors.New("it has no turns")
	}
	if features := t.Unplayable(); len(features) > 0 {
		return &trajectory.UnplayableError{Trajectory: t.ID, Features: features}
	}
	if trajectory.Branches(t.Turns, 0) {
		p.graph = trajectory.NewGraph(t.Turns)
	}
	var err error
	if p.texts, p.openings, err = r.write(m, p, 0); err != nil {
		return err
	}
	p.shells = make([]*chat.Shell, len(t.Turns))
	for i := range t.Turns {
		turn := &t.Turns[i]
		if p.shells[i], err = m.shell(&r.config, t, turn); err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", t.ID, turn.Index, err)
		}
		p.keep(p.texts[i].holes)
	}
	return r.reach(ctx, m, p)
}

// keep notes whose answers are held by other turns' messages.
func (p *plan) keep(holes []chat.Hole) {
	for _, h := range holes {
		if p.kept == nil {
			p.kept = map[uint32]bool{}
		}
		p.kept[h.Turn] = true
	}
}

// shells keeps one chat.Shell of a workload for each distinct set of parameters, tools and token limit, since tools alone can
// be tens of kilobytes and most turns of a workload share them.
type shells struct {
	mu   sync.Mutex
	made map[[sha256.Size]byte]*chat.Shell
}

// maxShells bounds what is kept of a workload whose turns share nothing.
const maxShells = 4096

// limit is how many tokens a turn's answer may have; 0: none is sent.
func (m *member) limit(c *Config, turn *trajectory.Turn) uint32 {
	switch {
	case c.OverrideMaxTokens > 0:
		return c.OverrideMaxTokens
	case turn.ExactTokens > 0:
		return turn.ExactTokens
	case turn.MaxTokens > 0:
		return turn.MaxTokens
	}
	return m.MaxTokens
}

// shell returns what surrounds the messages of a turn.
func (m *member) shell(c *Config, t *trajectory.Trajectory, turn *trajectory.Turn) (*chat.Shell, error) {
	s := &m.shells
	tools := t.Tools
	if tools == nil {
		tools = m.Info.Tools
	}
	limit, force := m.limit(c, turn), c.forced(turn)
	key := shellKey(limit, t.Params, turn.Params, tools, force)
	s.mu.Lock()
	shell := s.made[key]
	s.mu.Unlock()
	if shell != nil {
		return shell, nil
	}
	params, err := chat.Merge(
		chat.Layer{Name: "the workload", Params: m.Info.Params}, chat.Layer{Name: "the run", Params: c.Params},
		chat.Layer{Name: "the run's workload", Params: m.Params},
		chat.Layer{Name: "the trajectory", Params: t.Params}, chat.Layer{Name: "the turn", Params: turn.Params},
		chat.Layer{Name: "the engine's switches", Params: c.Switches}, chat.Layer{Name: "the turn's exact length", Params: force},
		chat.Layer{Name: "the run's override", Params: c.Override})
	if err != nil {
		return nil, err
	}
	if shell, err = c.Wire.Shell(params, tools, limit); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil || len(s.made) >= maxShells {
		s.made = map[[sha256.Size]byte]*chat.Shell{}
	}
	if other := s.made[key]; other != nil {
		return other, nil
	}
	s.made[key] = shell
	return shell, nil
}

func shellKey(limit uint32, parts ...json.RawMessage) [sha256.Size]byte {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint32(n[:], limit)
	h.Write(n[:])
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
