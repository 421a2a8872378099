package report

import (
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func ms(v float64) sample.Offset { return sample.Offset(v * 1e6) }

func ptr[T any](v T) *T { return &v }

const config = `{
 "target": {"url": "http://127.0.0.1:8000/v1", "model": "sim", "stream": true, "usage": true},
 "load": {"users": 2, "order": "file", "delays": true, "grace_ns": 30000000000, "arrivals": {"kind": "closed"}},
 "params": {"temperature": 0}, "override": {}, "max_tokens": 64, "history": "recorded", "thinking": "keep",
 "window": {"kind": "all", "trim": "20%"},
 "honesty": {"max_schedule_error_ns": 1000000, "share_of_ttft": "1%"}, "max_failed": "0%"}`

// small is a run of two users with one failure, and what two judges say of it.
func small() Input {
	run := &journal.Run{
		Heads:  []journal.Head{{Schema: journal.Version, Run: "20260829-101500-small", Segment: 1, RunConfig: digest.Of([]byte("run"))}},
		Phases: []journal.PhaseChange{{Phase: sample.Measure, At: 0}, {Phase: sample.Drain, At: ms(2100)}},
		Plans:  []journal.Plan{{Content: digest.Of([]byte("a"))}, {Content: digest.Of([]byte("b"))}},
		Foot:   &journal.Foot{At: ms(2600), Reason: journal.ReasonComplete, PlanNanos: 12_000_000},
		SelfChecks: []sample.SelfCheck{
			{At: 0, Asked: 2, Users: 2}, {At: ms(2000), Asked: 2, Users: 2, CPUNanos: 4e7, Turns: 8, ClientNanos: 2e6, GCPauseMaxNanos: 3e5, SchedLatMaxNanos: 1e5, HeapBytes: 9 << 20, JournalQueue: 5 << 10},
		},
	}
	for user := range uint32(2) {
		id := sample.ID{Workload: "std/mlperf/agentic", Trajectory: string(rune('a' + user)), Index: uint64(user), User: user}
		c := sample.Conversation{
			ID: id, Domain: []string{"coding", "workflow"}[user], Planned: 5, Phase: sample.Measure,
			Arrival: sample.Unset, Start: 0, End: ms(2600 - 500*float64(user)), State: sample.Complete,
		}
		for turn := range uint32(5) {
			s := answered(id, turn, float64(turn)*500+float64(user)*7)
			if user == 1 && turn >= 3 {
				s.Exchange = sample.Exchange{Outcome: sample.NotSent, Cause: sample.CausePriorFailure, Timing: sample.NoTiming()}
				if turn == 3 {
					s.Outcome, s.Cause, s.Status = sample.Overload, "503 Service Unavailable", 503
					s.Timing.Due, s.Timing.Sent, s.Timing.Done = ms(2000), ms(2000), ms(2100)
				}
				c.State, c.Cause = sample.Failed, "overload"
			}
			run.Samples = append(run.Samples, s)
		}
		run.Conversations = append(run.Conversations, c)
	}
	return Input{Run: run, Config: runConfig(), Judgements: judgements()}
}

func answered(id sample.ID, turn uint32, sent float64) sample.Sample {
	id.Turn = turn
	s := sample.Sample{ID: id, Phase: sample.Measure, RequestBytes: 1000}
	s.Outcome, s.Timing = sample.OK, sample.NoTiming()
	s.Timing.Due, s.Timing.Sent = ms(sent), ms(sent+0.1)
	first := sent + 50 + float64(turn)
	s.Timing.FirstToken, s.Timing.FirstAnswer, s.Timing.FirstByte = ms(first), ms(first), ms(first)
	for i := range 20 {
		gap := uint64(10_000)
		if i == 0 {
			gap = uint64(1000 * (first - sent - 0.1))
		}
		s.Chunks = s.Chunks.Add(sample.Chunk{GapMicros: gap, Channel: chat.Content, Bytes: 4})
	}
	s.Timing.LastToken, s.Timing.Done = ms(first+190), ms(first+191)
	s.Answer = &chat.Answer{
		Message: json.RawMessage(`{"role":"assistant","content":"x"}`), FinishReason: "stop",
		Usage: chat.Usage{Reported: true, PromptTokens: uint64(500 + 400*turn), CompletionTokens: 20, CachedTokens: ptr(uint64(480 * turn))},
	}
	return s
}

func runConfig() *journal.RunConfig {
	return &journal.RunConfig{
		Schema: "run/v1", Run: "20260829-101500-small", Config: json.RawMessage(config),
		Build:       journal.Build{Version: "v0.1.0", Commit: "0123456789ab", Go: "go1.26.8", OS: "linux", Arch: "amd64"},
		Environment: journal.Environment{CPUs: 2, CPU: "example"},
		Lock:        journal.LockState{State: "unpinned"},
		Plugins:     []journal.Plugin{{Name: "mlperf", Version: "1.0.0", Source: "std", SHA256: digest.Of([]byte("plugin"))}},
		Inputs:      []journal.Input{{Name: "dataset", Path: "small.jsonl", Size: 1234, SHA256: digest.Of([]byte("input"))}},
		Salt:        journal.Salt{Scheme: "none"}, Seed: "42", Endpoint: "http://127.0.0.1:8000/v1/chat/completions",
		Proxy: "none", TLSVerify: true,
		Workload: journal.Workload{Name: "std/mlperf/agentic", Trajectories: 2, Fixed: true, Provenance: "recorded"},
	}
}

func judgements() []verdict.Judgement {
	about := func(name, kind string) verdict.About {
		return verdict.About{Name: name, Kind: kind, Version: "1.0.0", Digest: digest.Of([]byte("plugin")), Config: json.RawMessage(`{"min":344}`)}
	}
	return []verdict.Judgement{
		{
			About: about("std/mlperf/inline", "scorer"),
			Score: &verdict.Score{
				Score: &verdict.Value{Name: "inline", Micro: 583_200, Unit: "share"}, HigherIsBetter: true, ThresholdMicro: ptr(int64(558_600)),
				Passed: true, Complete: true, Scored: 8, Missing: 2, Parts: []verdict.Value{{Name: "coding", Micro: 600_000}},
			},
		},
		{
			About: about("std/mlperf/output-length", "validator"),
			Verdict: &verdict.Verdict{
				Reason: "mean output length 20 is below 344", Values: []verdict.Value{{Name: "mean_output_tokens", Micro: 20_000_000, Unit: "tokens"}},
				Findings: []verdict.Finding{{Severity: verdict.Warning, Code: "short-answers", Message: "all answers are short", Trajectory: "a", Turn: 2}},
			},
		},
		{
			About:   about("std/mlperf/agentic", verdict.KindWorkload),
			Verdict: &verdict.Verdict{Passed: true, Values: []verdict.Value{{Name: verdict.PlannedAgain, Micro: 2e6}, {Name: verdict.PlannedFirst, Micro: 2e6}}},
		},
	}
}
