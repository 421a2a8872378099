package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/plugins/host"
	"paceline/plugins/store"
	"paceline/plugins/wire"
	"paceline/workloads"
)

// Scoring is one pass of the shipped scorer over a run in memory.
type Scoring struct {
	Turns   int     `json:"turns"`
	Workers int     `json:"workers"`
	Seconds float64 `json:"seconds"`
}

const workload = "bench/run/turns"

// madeRun makes a run of single turns whose recorded answers and answers have about 1 KB each.
func madeRun(turns int) (*journal.Run, error) {
	content := journal.MemoryContents{}
	run := &journal.Run{Content: content}
	for i := range turns {
		id := fmt.Sprintf("t-%06d", i)
		text := fmt.Sprintf("%d: %s", i, strings.Repeat("the agent looked at the file and found it. ", 23))
		message, err := json.Marshal(map[string]string{"role": "assistant", "content": text})
		if err != nil {
			return nil, err
		}
		t := &trajectory.Trajectory{ID: id, Index: uint64(i), Turns: []trajectory.Turn{{
			Append:   []trajectory.Message{{JSON: json.RawMessage(`{"role":"user","content":"go on"}`)}},
			Recorded: &trajectory.Message{JSON: message}, Final: true,
			Truth: json.RawMessage(`{"domain":"workflow","expected":"exit"}`),
		}}}
		doc, err := journal.EncodeTrajectory(t)
		if err != nil {
			return nil, err
		}
		content.Add(doc)
		at := sample.ID{Workload: workload, Trajectory: id, Index: uint64(i)}
		run.Plans = append(run.Plans, journal.Plan{Rec: "plan", Workload: workload, Trajectory: id, Index: uint64(i), Content: doc.Digest(), Turns: []uint32{0}})
		run.Conversations = append(run.Conversations, sample.Conversation{ID: at, Planned: 1, State: sample.Complete, Phase: sample.Measure})
		s := sample.Sample{ID: at, Phase: sample.Measure}
		s.Outcome, s.Status, s.Timing = sample.OK, 200, sample.NoTiming()
		s.Answer = &chat.Answer{Message: message, FinishReason: "stop"}
		run.Samples = append(run.Samples, s)
	}
	return run, nil
}

func measureScoring(ctx context.Context, h *host.Host, turns int) ([]Scoring, error) {
	run, err := madeRun(turns)
	if err != nil {
		return nil, err
	}
	shipped := store.Store{Std: workloads.Modules()}
	module, err := shipped.Fetch("std/mlperf")
	if err != nil {
		return nil, err
	}
	p, err := h.Load(host.Module{Name: "std/mlperf", Bytes: module.Bytes})
	if err != nil {
		return nil, err
	}
	loaded, err := wire.LoadWithin(ctx, p, defaultLimits())
	if err != nil {
		return nil, err
	}
	var list []Scoring
	for _, workers := range []int{1, 2} {
		took, err := score(ctx, loaded, run, workers)
		if err != nil {
			return nil, fmt.Errorf("score with %d workers: %w", workers, err)
		}
		list = append(list, Scoring{turns, workers, took})
	}
	return list, nil
}

func score(ctx context.Context, p *wire.Plugin, run *journal.Run, workers int) (float64, error) {
	s, err := p.OpenScorer(ctx, wire.Options{
		FullName: "std/mlperf/inline", Component: "inline", Config: json.RawMessage("{}"), Workers: workers, Limits: defaultLimits(),
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.Close() }()
	began := time.Now()
	j, err := judge.New(judge.Config{Run: run, Workers: workers, Replays: -1}).Score(ctx, s, json.RawMessage("{}"))
	took := time.Since(began).Seconds()
	if err == nil && (j.Score == nil || len(j.Items) != len(run.Samples)) {
		err = fmt.Errorf("%d of %d turns have an item: %s", len(j.Items), len(run.Samples), j.Error)
	}
	return took, err
}

func printScoring(out io.Writer, list []Scoring) {
	for _, s := range list {
		fmt.Fprintf(out, "%d turns of 1 KB scored by std/mlperf/inline with %d workers: %.2f s (aim: under 10 s)\n", s.Turns, s.Workers, s.Seconds)
	}
}
