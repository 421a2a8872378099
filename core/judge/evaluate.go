package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"paceline/core/verdict"
)

// Bounds of an evaluation.
const (
	MaxState         = 256 << 10 // bytes of the state between two steps
	MaxStatus        = 200       // bytes of a step's status that are kept
	MaxEvaluated     = 1_000_000 // items of one evaluation
	MaxEvaluatedSize = 256 << 20 // bytes of their texts
	// MaxIdleSteps is how many steps in a row may bring neither an item nor a request before the evaluation is given up.
	MaxIdleSteps = 10_000
	// DefaultEvaluationLimit bounds one evaluation as a whole.
	DefaultEvaluationLimit = 24 * time.Hour
	// lastStep is how long a step may go on once the evaluation is given up: its requests fail by then.
	lastStep = 5 * time.Second
)

// Evaluator is a scorer that drives the target itself, step by step, in place of judging samples. Steps are asked one after
// another; a step that is given up may leave a process that is replaced.
type Evaluator interface {
	About() verdict.About
	Evaluate(ctx context.Context, step Step) (Stepped, error)
}

// Target is where an evaluation asks the model: a relay, never the endpoint itself.
type Target struct {
	URL, Token, Model string
	Params            json.RawMessage // JSON object
}

// Step is one call of an evaluator.
type Step struct {
	State  []byte  // empty at first
	Target *Target // nil with Cancel
	Cancel bool    // the last call: what runs elsewhere is to be stopped
}

// Stepped is what one step came to.
type Stepped struct {
	State                 []byte
	Done                  bool
	ItemsDone, ItemsTotal uint64
	Status                string
	Items                 []verdict.ItemScore // new ones: a step does not repeat those of earlier steps
	Score                 *verdict.Score      // of the whole evaluation; needed where Done
}

// Evaluation is how one evaluation is made.
type Evaluation struct {
	Target    *Target
	Asked     func() int         // requests that went through the relay so far; nil: not counted
	End       func()             // ends the relay; it may be called again
	Record    func(*Stepped)     // keeps a step, so that it can be gone on from; nil: not wanted
	Resume    *Stepped           // where an earlier evaluation had got to, with all of its items; nil: nowhere
	Interrupt <-chan struct{}    // closed to give up in order; nil: never
	Limit     time.Duration      // of the whole; 0: DefaultEvaluationLimit
	OnEnd     func(reason error) // hears how it ended, nil where it is done; nil: not wanted
}

// Why an evaluation was given up.
var (
	ErrInterrupted = errors.New("interrupted")
	errEvalLimit   = errors.New("passed its time limit")
	errEvalIdle    = fmt.Errorf("%d steps in a row brought neither an item nor a request", MaxIdleSteps)
)

// Evaluate lets a scorer evaluate until it is done. One that is given up gets one last call with Cancel, and its score is
// incomplete and not passed; the judgement's error tells why. The error is the context's.
func (m *Material) Evaluate(ctx context.Context, e Evaluator, how Evaluation) (verdict.Judgement, error) {
	h := m.hearing(e.About())
	v := &evaluation{h: h, e: e, how: how}
	if how.Resume != nil {
		v.last, v.items = *how.Resume, how.Resume.Items
		v.last.Items = nil
	}
	err := v.run(ctx)
	if how.OnEnd != nil {
		how.OnEnd(err)
	}
	h.j.Items = v.items
	h.j.Score = v.last.Score
	if err == nil {
		if !h.j.Score.Complete {
			h.j.Score.Passed = false
		}
		return h.j, nil
	}
	if h.j.Score == nil {
		h.j.Score = &verdict.Score{Scored: v.last.ItemsDone, Missing: v.last.ItemsTotal - min(v.last.ItemsDone, v.last.ItemsTotal)}
	}
	h.j.Score.Complete, h.j.Score.Passed = false, false
	return h.failed(ctx, fmt.Errorf("evaluation incomplete, %s: %w", v.far(), err))
}

// NotEvaluated is the judgement of an evaluator that could not be asked.
func (m *Material) NotEvaluated(about verdict.About, why string) verdict.Judgement {
	h := m.hearing(about)
	h.j.Score, h.j.Error = &verdict.Score{}, "not evaluated: "+why
	return h.j
}

// Seed is the seed of a judge's component, in hex.
func (m *Material) Seed(about verdict.About) string { return m.hearing(about).j.Seed }

// evaluation is one evaluation on its way.
type evaluation struct {
	h     *hearing
	e     Evaluator
	how   Evaluation
	last  Stepped // the last step that holds, without its items
	items []verdict.ItemScore
	size  int
	idle  int
	asked int
	noted time.Time // when a step was recorded last
}

func (v *evaluation) far() string {
	return fmt.Sprintf("%d of %d items done", v.last.ItemsDone, v.last.ItemsTotal)
}

// run goes from step to step. It returns nil once the evaluator is done.
func (v *evaluation) run(ctx context.Context) error {
	limit := v.how.Limit
	if limit <= 0 {
		limit = DefaultEvaluationLimit
	}
	halt, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w of %v", errEvalLimit, limit))
	defer cancel()
	halt, give := context.WithCancelCause(halt)
	defer give(nil)
	if v.how.Interrupt != nil {
		go func() {
			select {
			case <-v.how.Interrupt:
				give(ErrInterrupted)
			case <-halt.Done():
			}
		}()
		select {
		case <-v.how.Interrupt: // before it began: nothing is to be stopped
			return ErrInterrupted
		default:
		}
	}
	for {
		err := v.step(ctx, halt)
		if err == nil && v.last.Done {
			return nil
		}
		if err != nil {
			v.cancel(ctx)
			return err
		}
	}
}

// step makes one step. One that was still on its way when the evaluation was given up does not hold: its requests failed.
func (v *evaluation) step(ctx, halt context.Context) error {
	if halt.Err() != nil {
		return context.Cause(halt)
	}
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(halt, func() {
		v.end()
		late := time.AfterFunc(lastStep, func() { cancel(context.Cause(halt)) })
		context.AfterFunc(call, func() { late.Stop() })
	})()
	reply, err := v.e.Evaluate(call, Step{State: v.last.State, Target: v.how.Target})
	if halt.Err() != nil {
		return context.Cause(halt)
	}
	if err != nil {
		return err
	}
	return v.take(&reply)
}

// take checks a reply and goes on from it.
func (v *evaluation) take(r *Stepped) error {
	if err := v.check(r); err != nil {
		return err
	}
	asked := v.asked
	if v.how.Asked != nil {
		asked = v.how.Asked()
	}
	moved := len(r.Items) > 0 || r.ItemsDone != v.last.ItemsDone || asked != v.asked
	if v.idle++; moved || r.Done {
		v.idle = 0
	}
	v.asked = asked
	v.items = append(v.items, r.Items...)
	// A step without progress is kept once a second: whoever changes its state for ever fills no disk.
	if v.how.Record != nil && (moved || r.Done || !bytes.Equal(r.State, v.last.State) && time.Since(v.noted) >= time.Second) {
		v.noted = time.Now()
		v.how.Record(r)
	}
	v.last = *r
	v.last.Items = nil
	if on := v.h.m.c.OnProgress; on != nil {
		on(Progress{Name: v.h.about.Name, Done: int(min(r.ItemsDone, 1<<31)), Total: int(min(r.ItemsTotal, 1<<31)), Items: true, Status: r.Status})
	}
	if v.idle >= MaxIdleSteps {
		return errEvalIdle
	}
	return nil
}

func (v *evaluation) check(r *Stepped) error {
	r.Status = line(r.Status)
	if n := len(r.State); n > MaxState {
		return &replyError{"oversized", fmt.Sprintf("state of %d bytes is above the limit of %d", n, MaxState)}
	}
	if err := checkItems(r.Items); err != nil {
		return err
	}
	size := v.size
	for i := range r.Items {
		it := &r.Items[i]
		size += len(it.Trajectory) + len(it.Reason) + len(it.Detail) + len(it.Group)
	}
	switch n := len(v.items) + len(r.Items); {
	case n > MaxEvaluated:
		return &replyError{"oversized", fmt.Sprintf("more than %d items", MaxEvaluated)}
	case size > MaxEvaluatedSize:
		return &replyError{"oversized", fmt.Sprintf("items of more than %d bytes", MaxEvaluatedSize)}
	case r.Done && r.Score == nil:
		return &replyError{"malformed", "the evaluation is done and has no score"}
	}
	v.size = size
	return nil
}

// line makes a status fit for one line of a terminal.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.ToValidUTF8(s[:min(len(s), MaxStatus)], "")
}

// cancel is the last call. What it says of a score and of items is kept, unless it breaks a rule; it changes no state, so that
// the evaluation can be gone on with.
func (v *evaluation) cancel(ctx context.Context) {
	v.end()
	if ctx.Err() != nil {
		return
	}
	r, err := v.e.Evaluate(ctx, Step{State: v.last.State, Cancel: true})
	if err != nil || v.check(&r) != nil {
		return
	}
	v.items = append(v.items, r.Items...)
	v.last.Score = r.Score
	v.last.ItemsDone, v.last.ItemsTotal = max(v.last.ItemsDone, r.ItemsDone), max(v.last.ItemsTotal, r.ItemsTotal)
}

func (v *evaluation) end() {
	if v.how.End != nil {
		v.how.End()
	}
}
