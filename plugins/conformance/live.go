package conformance

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
	pb "paceline/schemas/gen/pluginv1"
)

// Bounds of the live conversations that are played.
const (
	mostWalks = 2
	mostSteps = 8
)

// walked is one step of a live conversation: what it was asked with, and what came.
type walked struct {
	state []byte
	turn  uint32
	x     *sample.Exchange
	step  trajectory.Step
	text  string
}

// stepper asks a workload for a step in some way.
type stepper func(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error)

// walk plays a live conversation with scripted answers until it ends, or for a number of steps.
func walk(ctx context.Context, t *trajectory.Trajectory, tools []byte, most int, next stepper) ([]walked, error) {
	var list []walked
	state, open := t.State, t.Turns
	for n := 0; n < most && len(open) > 0; n++ {
		w := walked{state: state, turn: open[0].Index, x: answered(sample.OK, scripted(n, t, tools))}
		var err error
		if w.step, err = next(ctx, w.state, w.turn, w.x); err != nil {
			return list, fmt.Errorf("the step after turn %d: %w", w.turn, err)
		}
		if w.text, err = tell(w.step); err != nil {
			return list, err
		}
		if len(w.step.Turns) == 0 && w.step.End == nil && len(open) == 1 {
			return list, unlike(fmt.Sprintf("turns or an end after turn %d, the last one", w.turn), "neither")
		}
		list = append(list, w)
		state, open = w.step.State, append(slices.Clone(open[1:]), w.step.Turns...)
		if w.step.End != nil {
			break
		}
	}
	return list, nil
}

// scripted is the nth answer of a made-up model: it calls a tool at first, then says something, then calls all at once.
func scripted(n int, t *trajectory.Trajectory, tools []byte) *chat.Answer {
	if t.Tools != nil {
		tools = t.Tools
	}
	switch name := firstTool(tools); {
	case name != "" && n%3 == 0:
		return toolCall(name, `{}`)
	case name != "" && n%3 == 1:
		return toolCall(name, `{"path":".","pattern":"a","command":"ls"}`)
	}
	return said("The answer is 42.")
}

// next plays live conversations; each step is well formed.
func (c *component) next(ctx context.Context) error {
	if !c.work.Info().Live {
		return skipf("the workload is not live")
	}
	for i := range min(len(c.plans), mostWalks) {
		list, err := walk(ctx, c.plans[i].t, c.work.Info().Tools, mostSteps, c.work.Next)
		if err != nil {
			return err
		}
		c.walks = append(c.walks, list)
	}
	return nil
}

// steps are all steps that were played.
func (c *component) steps() []walked { return slices.Concat(c.walks...) }

// nextAgain takes every step again, in another order and in fresh instances: Next is a pure fold.
func (c *component) nextAgain(ctx context.Context) error {
	if len(c.steps()) == 0 {
		return skipf("no step was played")
	}
	list := c.steps()
	slices.Reverse(list)
	for i := range list {
		w := &list[i]
		for how, next := range inOrder(map[string]stepper{"in another order": c.work.Next, "in a fresh instance": c.work.NextFresh}) {
			before := bytes.Clone(w.state)
			step, err := next(ctx, w.state, w.turn, w.x)
			if err != nil {
				return fmt.Errorf("the step after turn %d again, %s: %w", w.turn, how, err)
			}
			text, err := tell(step)
			if err != nil {
				return err
			}
			if err := same(fmt.Sprintf("the same step after turn %d, taken again %s", w.turn, how), w.text, text); err != nil {
				return err
			}
			if !bytes.Equal(before, w.state) {
				return unlike("the state that went in to stay", "it changed")
			}
		}
	}
	return nil
}

// nextHostile answers with what no model should: the step may end the conversation, and it comes within the limits.
func (c *component) nextHostile(ctx context.Context) error {
	if len(c.steps()) == 0 {
		return skipf("no step was played")
	}
	w := c.steps()[0]
	for _, h := range hostileAnswers() {
		if _, err := c.work.Next(ctx, w.state, w.turn, answered(h.outcome, h.answer)); crashed(err) != nil {
			return fmt.Errorf("%s: %w", h.name, crashed(err))
		}
	}
	if _, err := c.work.Next(ctx, w.state, w.turn, answered(sample.Timeout, nil)); crashed(err) != nil {
		return fmt.Errorf("no answer: %w", crashed(err))
	}
	return nil
}

// nextState hands in states that the workload never gave.
func (c *component) nextState(ctx context.Context) error {
	if len(c.steps()) == 0 {
		return skipf("no step was played")
	}
	real := c.steps()[0].state
	client := pb.NewWorkloadClient(c.comp().Conn())
	for name, state := range inOrder(map[string][]byte{
		"an empty state": nil, "half of a state": real[:len(real)/2], "a state of 256 KiB": make([]byte, 256<<10),
		"a state of no meaning": []byte("\xff\xfe\x00\x01"), "a state above its limit": bytes.Repeat([]byte{1}, 1<<20),
	}) {
		_, err := client.Next(ctx, &pb.NextRequest{State: state, Turn: 0, Answer: &pb.Answer{Outcome: "ok", Message: []byte(`{"role":"assistant","content":"x"}`)}})
		if err := crashed(err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
