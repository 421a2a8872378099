package conformance

import (
	"bytes"
	"context"
	"fmt"

	"paceline/core/chat"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// conversation is the samples of one conversation, with all that a judge may ask for.
type conversation []judge.Item

// Bounds of the conversations that judges are asked about.
const (
	mostOwn   = 4 // of each workload of the plugin
	mostTurns = 6
)

// defaultTools are offered where a trajectory offers none.
const defaultTools = `[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]`

// addPlanned makes conversations of what a workload of the plugin planned, so that its judges find the truth that they expect.
func (s *suite) addPlanned(ctx context.Context, c *component) {
	for i := range min(len(c.plans), mostOwn) {
		t := c.plans[i].t
		turns, end := t.Turns, []byte(nil)
		if c.work.Info().Live {
			list, err := walk(ctx, t, c.work.Info().Tools, mostTurns, c.work.Next)
			if err != nil {
				continue // the check of the steps tells it
			}
			for _, w := range list {
				turns = append(turns[:len(turns):len(turns)], w.step.Turns...)
				if w.step.End != nil {
					end = w.step.End.Result
				}
			}
		}
		tools := t.Tools
		if tools == nil {
			tools = c.work.Info().Tools
		}
		conv := talk(c.full, t, turns, tools, end)
		for k := range conv {
			conv[k].Index += uint64(s.workloads) * farApart // conversations are told apart by it
		}
		s.material = append(s.material, conv)
	}
	s.workloads++
}

// farApart keeps the trajectories of two workloads, and those of no plugin, apart by their index.
const farApart = 1000

// made are conversations of no plugin's own.
func made() []conversation {
	var list []conversation
	for i := range 7 {
		t := &trajectory.Trajectory{ID: fmt.Sprintf("made-%d", i), Index: uint64(farApart/2 + i), Domain: "made", Labels: []trajectory.Label{{Key: "kind", Value: "made"}}}
		for n := range i%3 + 1 {
			t.Turns = append(t.Turns, trajectory.Turn{Index: uint32(n),
				Append:   []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"Question %d of %d: what is it?"}`, n, i)}},
				Recorded: &trajectory.Message{JSON: []byte(`{"role":"assistant","content":"It is 42."}`)}})
		}
		var tools []byte
		if i%2 == 0 {
			tools = []byte(defaultTools)
		}
		list = append(list, talk("test/made", t, t.Turns, tools, nil))
	}
	return list
}

// talk plays a conversation: each turn gets an answer, and some of the last ones fail.
func talk(workload string, t *trajectory.Trajectory, turns []trajectory.Turn, tools, end []byte) conversation {
	var items conversation
	var history [][]byte
	at := sample.Offset(1_000_000_000)
	for i := range turns[:min(len(turns), mostTurns)] {
		turn := &turns[i]
		var appended [][]byte
		for _, m := range turn.Append {
			if m.JSON != nil {
				appended = append(appended, m.JSON)
			}
		}
		it := judge.Item{Sample: &sample.Sample{ID: sample.ID{Workload: workload, Trajectory: t.ID, Index: t.Index, Turn: turn.Index}, Phase: sample.Measure},
			Domain: t.Domain, Labels: t.Labels, InWindow: true, Truth: turn.Truth, TrajectoryTruth: t.Truth, Tools: tools,
			Appended: array(appended), History: array(history), Params: []byte(`{"temperature":0}`), EndResult: end}
		if turn.Recorded != nil {
			it.Recorded = turn.Recorded.JSON
		}
		answer(&it, int(t.Index)+i, i == len(turns)-1, at, t)
		history = append(history, appended...)
		if it.Answer != nil {
			history = append(history, it.Answer.Message)
		}
		at += 2_000_000_000
		items = append(items, it)
	}
	return items
}

// answer gives a sample an answer of a kind that follows from its number.
func answer(it *judge.Item, number int, last bool, at sample.Offset, t *trajectory.Trajectory) {
	it.Exchange = *answered(sample.OK, said("It is 42."))
	switch {
	case last && number%5 == 3:
		it.Exchange = *answered(sample.Timeout, nil)
	case last && number%5 == 4:
		it.Exchange = *answered(sample.NotSent, nil)
		it.Cause = sample.CausePriorFailure
	case number%4 == 1 && it.Recorded != nil:
		it.Exchange = *answered(sample.OK, message(string(it.Recorded), "stop"))
	case number%4 == 2:
		it.Exchange = *answered(sample.OK, scripted(number, t, it.Tools))
	}
	x := &it.Exchange
	if x.Outcome != sample.NotSent {
		x.Timing.Due, x.Timing.Sent, x.Timing.BodySent = at, at+20_000, at+30_000
		x.Timing.FirstByte, x.Timing.FirstToken, x.Timing.LastToken, x.Timing.Done = at+50_000_000, at+50_000_000, at+900_000_000, at+901_000_000
		x.Timing.Reused = true
		it.Chunks = []sample.Chunk{{GapMicros: 50_000, Channel: chat.Content, Bytes: 4}, {GapMicros: 850_000, Channel: chat.Content, Bytes: 5}}
	}
	it.Answer = x.Answer
}

// array joins documents to a JSON array.
func array(list [][]byte) []byte {
	return append(append([]byte("["), bytes.Join(list, []byte(","))...), ']')
}

// asked leaves in the items what the judge asks for, as a run does.
func asked(items []judge.Item, about verdict.About) []judge.Item {
	needs := map[verdict.Need]bool{}
	for _, n := range about.Needs {
		needs[n] = true
	}
	out := make([]judge.Item, len(items))
	for i, it := range items {
		s := *it.Sample
		s.Exchange.Answer = nil
		it.Sample = &s
		drop := func(need verdict.Need, fields ...*[]byte) {
			for _, f := range fields {
				if !needs[need] {
					*f = nil
				}
			}
		}
		drop(verdict.NeedRecorded, &it.Recorded)
		drop(verdict.NeedTruth, &it.Truth, &it.TrajectoryTruth)
		drop(verdict.NeedAppended, &it.Appended)
		drop(verdict.NeedHistory, &it.History)
		drop(verdict.NeedTools, &it.Tools)
		drop(verdict.NeedParams, &it.Params)
		if !needs[verdict.NeedAnswer] {
			it.Answer = nil
		}
		if !needs[verdict.NeedChunks] {
			it.Chunks = nil
		}
		out[i] = it
	}
	return out
}
