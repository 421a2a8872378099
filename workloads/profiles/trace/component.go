package trace

import (
	"fmt"
	"strings"

	"paceline/sdk"
	"paceline/workloads/options"
	"paceline/workloads/profiles/builtin"
	"paceline/workloads/profiles/shape"
	"paceline/workloads/profiles/spec"
	"paceline/workloads/rawjson"
)

const configSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,` +
	`"properties":{"profile":{"enum":["coding","qa","office","conversation-replay","deep-research","code-generation","aiperf-agentic","aiperf-200k",` +
	`"codex-swe-bench-pro","claude-code","trtllm-coder","agentperf"],` +
	`"description":"one of the shipped profiles; coding where neither this nor define is given"},` +
	`"define":{"type":"object","description":"a profile of your own, as docs/profiles.md describes it"},` +
	`"mode":{"enum":["full","mean"],"default":"full",` +
	`"description":"full draws from the whole distribution; mean plays the mean trace again and again, which only shows what such a trace hides"},` +
	`"count":{"type":"integer","minimum":1,"description":"conversations of one pass; without it a pass has no end"}}}`

// Component describes the workload for the plugin that offers it.
func Component() sdk.Component {
	return sdk.Component{
		Name:         "trace",
		Summary:      "agent runs by length and wait, drawn from a profile: published ones, or one of yours",
		ConfigSchema: []byte(configSchema),
		Workload:     func(o *sdk.Opening) (sdk.Workload, error) { return open(o) },
	}
}

// workload draws from one profile.
type workload struct {
	name       string
	provenance string
	mean       bool
	source     shape.Source
	count      uint64
}

func open(o *sdk.Opening) (*workload, error) {
	config := options.Read(o.Config, "profile", "define", "mode", "count")
	define := rawjson.Value(o.Config).Get("define")
	mode, count := config.Choice("mode", "full", "mean"), config.Count("count")
	name := config.Choice("profile", builtin.Names...)
	if !define.Missing() && !rawjson.Value(o.Config).Get("profile").Missing() {
		config.Fault("/define", "option-choice", "profile or define", "profile and define are both there")
	}
	if err := config.Err(); err != nil {
		return nil, err
	}
	p, err := profile(name, define)
	if err != nil {
		return nil, err
	}
	w := &workload{name: p.Name, provenance: p.Provenance, source: p.Source, count: count}
	if p.Note != "" {
		o.Losses = append(o.Losses, "real traces: "+p.Name+" is "+p.Note)
	}
	if mode == "mean" {
		w.mean, w.source, w.provenance = true, shape.Mean(p.Source), "estimated"
		o.Losses = append(o.Losses, "the distribution: mode mean plays one mean trace, without tails, positions and dependence; its throughput is not that of "+p.Name)
	}
	return w, nil
}

func profile(name string, define rawjson.Value) (*builtin.Profile, error) {
	if define.Missing() {
		return builtin.Get(name)
	}
	p, err := spec.Read(define, "/define")
	if err != nil {
		return nil, err
	}
	return builtin.Of(p), nil
}

// Info implements sdk.Workload.
func (w *workload) Info() sdk.WorkloadInfo {
	return sdk.WorkloadInfo{Trajectories: w.count, Fixed: w.mean && w.count > 0, Provenance: w.provenance}
}

// Plan implements sdk.Workload. The seed, which the host derives from the run's seed, index and repeat, decides alone.
func (w *workload) Plan(index uint64, repeat uint32, seed []byte) (*sdk.Trajectory, error) {
	if w.count > 0 && index >= w.count {
		return nil, sdk.Errorf(sdk.CodeOutOfRange, "plan trajectory %d: there are %d", index, w.count)
	}
	var key [32]byte
	if copy(key[:], seed) != len(key) && !w.mean {
		return nil, sdk.Errorf(sdk.CodeInvalidArgument, "plan trajectory %d: the seed has %d bytes, and 32 are wanted", index, len(seed))
	}
	var t shape.Trace
	w.source.Draw(shape.NewRandom(key), &t)
	out, err := trajectory(&t)
	if err != nil {
		return nil, fmt.Errorf("plan trajectory %d of %s: %w", index, w.name, err)
	}
	out.Domain = w.name
	out.Id = strings.Join(w.id(index), "-")
	out.Labels = []sdk.Label{{Key: "profile", Value: w.name}}
	if w.mean {
		out.Labels = []sdk.Label{{Key: "mode", Value: "mean"}, {Key: "profile", Value: w.name}}
	}
	return out, nil
}

func (w *workload) id(index uint64) []string {
	number := fmt.Sprintf("%06d", index)
	if w.mean {
		return []string{w.name, "mean", number}
	}
	return []string{w.name, number}
}
