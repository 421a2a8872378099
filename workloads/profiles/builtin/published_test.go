package builtin

import (
	"slices"
	"testing"

	"paceline/workloads/profiles/shape"
)

// figures are what published shapes are held against: means and quantiles over traces, and over requests.
type figures struct {
	turns, contexts, outputs, prompts []int64 // of each trace
	first, requests                   []int64 // the first prompt of each trace; each prompt
	cached                            int64
}

func figuresOf(t *testing.T, name string, n int) *figures {
	t.Helper()
	p, err := Get(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &figures{}
	var trace shape.Trace
	for i := range n {
		p.Source.Draw(shape.NewRandom([32]byte{byte(i), byte(i >> 8), 9}), &trace)
		f.add(&trace)
	}
	return f
}

func (f *figures) add(t *shape.Trace) {
	context, output, prompt := t.Input, t.Final, t.Input
	f.first, f.requests = append(f.first, context), append(f.requests, context)
	for _, turn := range t.Turns {
		f.cached += context + turn.Assistant
		context += turn.Assistant + turn.Tool
		output, prompt = output+turn.Assistant, prompt+context
		f.requests = append(f.requests, context)
	}
	f.turns, f.contexts = append(f.turns, int64(len(t.Turns))), append(f.contexts, context)
	f.outputs, f.prompts = append(f.outputs, output), append(f.prompts, prompt)
}

func mean(list []int64) float64 {
	sum := int64(0)
	for _, v := range list {
		sum += v
	}
	return float64(sum) / float64(len(list))
}

func quantile(list []int64, percent int) float64 {
	list = slices.Sorted(slices.Values(list))
	return float64(list[len(list)*percent/100])
}

// TestPublished holds what the put-together profiles draw against the figures that were published of their originals, within
// a share of each; what is left unsaid by those is not held.
func TestPublished(t *testing.T) {
	codex, claude, coder := figuresOf(t, "codex-swe-bench-pro", 4000), figuresOf(t, "claude-code", 2000), figuresOf(t, "trtllm-coder", 2000)
	generated, perf := figuresOf(t, "aiperf-200k", 4000), figuresOf(t, "agentperf", 4000)
	for _, c := range []struct {
		name              string
		got, want, within float64 // the last as a share
	}{
		{"codex: mean calls", 1 + mean(codex.turns), 33, 0.05},
		{"codex: p50 of calls", 1 + quantile(codex.turns, 50), 30, 0.05},
		{"codex: p90 of calls", 1 + quantile(codex.turns, 90), 57, 0.06},
		{"codex: p99 of calls", 1 + quantile(codex.turns, 99), 90, 0.08},
		{"codex: mean first prompt", mean(codex.first), 12367, 0.02},
		{"codex: p50 of the last prompt", quantile(codex.contexts, 50), 80488, 0.06},
		{"codex: mean last prompt", mean(codex.contexts), 84482, 0.06},
		{"codex: p90 of the last prompt", quantile(codex.contexts, 90), 130165, 0.08},
		{"codex: p99 of the last prompt", quantile(codex.contexts, 99), 180943, 0.1},
		{"codex: mean prompt tokens of a trial", mean(codex.prompts), 2266055, 0.12},
		{"codex: mean output of a trial", mean(codex.outputs), 17239, 0.06},
		{"codex: p90 of the output of a trial", quantile(codex.outputs, 90), 29968, 0.08},
		{"claude: mean requests", 1 + mean(claude.turns), 112176.0 / 642, 0.08},
		{"claude: p50 of the first prompt", quantile(claude.first, 50), 20160, 0.08},
		{"claude: mean first prompt", mean(claude.first), 61529, 0.08},
		{"claude: mean last prompt", mean(claude.contexts), 133471, 0.08},
		{"claude: p50 of the last prompt", quantile(claude.contexts, 50), 115008, 0.12},
		{"claude: mean prompt", mean(claude.requests), 13.675e9 / 112176, 0.15},
		{"TensorRT-LLM: p50 of prompts", quantile(coder.requests, 50), 14400, 0.05},
		{"AIPerf: mean requests", 1 + mean(generated.turns), 11.75, 0.06},
		{"AIPerf: p50 of requests", 1 + quantile(generated.turns, 50), 11, 0.1},
		{"AIPerf: p95 of requests", 1 + quantile(generated.turns, 95), 25, 0.1},
		{"AIPerf: p50 of the first prompt", quantile(generated.first, 50), 47263, 0.05},
		{"AIPerf: mean first prompt", mean(generated.first), 54780, 0.05},
		{"AIPerf: mean use of the context", mean(generated.contexts) / 200_000, 0.64, 0.05},
		{"AgentPerf: mean prompt", mean(perf.requests), 27000, 0.08},
		{"AgentPerf: longest prompt", quantile(perf.requests, 99), 131000, 0.2},
	} {
		if c.got < c.want*(1-c.within) || c.got > c.want*(1+c.within) {
			t.Errorf("%s: %.6g, published is %.6g", c.name, c.got, c.want)
		}
	}
	total := 0.0
	for _, p := range coder.requests {
		total += float64(p)
	}
	// The published rate counts the system prompt as cached from the first request on.
	if rate := (float64(coder.cached) + 4300*float64(len(coder.first))) / total; rate < 0.955 || rate > 0.975 {
		t.Errorf("TensorRT-LLM: hit rate %.3f, published is 0.965", rate)
	}
}

// TestEnds: generators that end at a limit of context do.
func TestEnds(t *testing.T) {
	for name, limit := range map[string]int64{"aiperf-agentic": 167_000, "aiperf-200k": 200_000, "code-generation": 262_144, "agentperf": 131_000} {
		f := figuresOf(t, name, 1000)
		if most := slices.Max(f.requests); most > limit || most < limit*9/10 {
			t.Errorf("%s: the longest prompt is %d, and the limit is %d", name, most, limit)
		}
	}
}
