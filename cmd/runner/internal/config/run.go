// Package config reads what a user says about a run: defaults, run files, environment, flags and --set, layered in that
// order. It gives back plain structs, checked, with the origin of every value; what it does not know it refuses, with the
// nearest key that it does know. It is the only importer of koanf.
package config

import "time"

// Run is a whole run as the run file (schemas/run/v1) says it. The zero value is no valid run; Defaults is the lowest layer.
type Run struct {
	Preset         string                    `koanf:"preset" json:"preset,omitempty"`
	Target         Target                    `koanf:"target" json:"target"`
	Targets        []Place                   `koanf:"targets" json:"targets,omitempty"` // in place of target.url: several
	Workload       Workload                  `koanf:"workload" json:"workload,omitzero"`
	Workloads      map[string]Member         `koanf:"workloads" json:"workloads,omitempty"`
	Load           Load                      `koanf:"load" json:"load"`
	Params         map[string]any            `koanf:"params" json:"params"`
	Override       map[string]any            `koanf:"override" json:"override"`
	MaxTokens      uint32                    `koanf:"max_tokens" json:"max_tokens"`
	History        string                    `koanf:"history" json:"history"`
	Thinking       string                    `koanf:"thinking" json:"thinking"`
	ToolResults    string                    `koanf:"tool_results" json:"tool_results,omitempty"`
	Lengths        string                    `koanf:"lengths" json:"lengths,omitempty"` // text, exact
	Salt           string                    `koanf:"salt" json:"salt"`
	Seed           string                    `koanf:"seed" json:"seed"`
	Seeds          Seeds                     `koanf:"seeds" json:"seeds,omitzero"`
	RoutingHeaders []string                  `koanf:"routing_headers" json:"routing_headers"`
	Window         Window                    `koanf:"window" json:"window"`
	Scorers        map[string]map[string]any `koanf:"scorers" json:"scorers"`
	Validators     map[string]map[string]any `koanf:"validators" json:"validators"`
	Counters       map[string]map[string]any `koanf:"counters" json:"counters,omitempty"`
	TokenSource    string                    `koanf:"token_source" json:"token_source"` // usage, counter: which is asked first
	Checks         bool                      `koanf:"checks" json:"checks"`
	Judging        Judging                   `koanf:"judging" json:"judging"`
	Plugins        map[string]string         `koanf:"plugins" json:"plugins"`
	Limits         Limits                    `koanf:"limits" json:"limits"`
	Honesty        Honesty                   `koanf:"honesty" json:"honesty"`
	Objectives     Objectives                `koanf:"objectives" json:"objectives,omitzero"`
	Prices         Prices                    `koanf:"prices" json:"prices,omitzero"`
	MaxFailed      string                    `koanf:"max_failed" json:"max_failed"`
	Unofficial     bool                      `koanf:"unofficial" json:"unofficial,omitempty"`
	Out            string                    `koanf:"out" json:"-"`
}

// DefaultCheck is the plugin and DefaultValidator the component that judges every run, unless the run switches it off.
const (
	DefaultCheck     = "std/checks"
	DefaultValidator = DefaultCheck + "/tool-calls"
)

// AddChecks adds the validator that runs by default, which reports and passes always, unless the run has switched it off or
// configures it itself. A run is judged by what its validators say, so it is called once, before the run is played. It
// reports whether it added one.
func (r *Run) AddChecks() bool {
	if _, there := r.Validators[DefaultValidator]; there || !r.Checks {
		return false
	}
	if r.Validators == nil {
		r.Validators = map[string]map[string]any{}
	}
	r.Validators[DefaultValidator] = map[string]any{"report_only": true}
	return true
}

// Target is the endpoint under test and how it is spoken to.
type Target struct {
	URL            string            `koanf:"url" json:"url"`
	Path           string            `koanf:"path" json:"path,omitempty"`
	API            string            `koanf:"api" json:"api,omitempty"` // empty: chat
	Model          string            `koanf:"model" json:"model"`
	Stream         bool              `koanf:"stream" json:"stream"`
	Usage          bool              `koanf:"usage" json:"usage"`
	StrictWire     bool              `koanf:"strict_wire" json:"strict_wire,omitempty"`
	MaxTokensKey   string            `koanf:"max_tokens_key" json:"max_tokens_key"`
	RequireContent bool              `koanf:"require_content" json:"require_content,omitempty"`
	IgnoreEOS      string            `koanf:"ignore_eos" json:"ignore_eos,omitempty"` // auto, always, never
	Tokenize       string            `koanf:"tokenize" json:"tokenize,omitempty"`     // auto, always, never
	Recheck        bool              `koanf:"recheck" json:"recheck"`
	APIKey         string            `koanf:"api_key" json:"-"`
	APIKeyEnv      string            `koanf:"api_key_env" json:"api_key_env,omitempty"`
	APIKeyFile     string            `koanf:"api_key_file" json:"-"`
	Headers        map[string]string `koanf:"headers" json:"-"`
	CAFile         string            `koanf:"ca_file" json:"ca_file,omitempty"`
	Insecure       bool              `koanf:"insecure" json:"insecure"`
	ConnectTimeout time.Duration     `koanf:"connect_timeout" json:"connect_timeout_ns"`
	TurnTimeout    time.Duration     `koanf:"turn_timeout" json:"turn_timeout_ns"`
	MaxIdle        time.Duration     `koanf:"max_idle" json:"max_idle_ns"`
	MaxAnswer      int64             `koanf:"max_answer" json:"max_answer"`
	Accelerators   int               `koanf:"accelerators" json:"accelerators,omitempty"`
	CacheBlock     int               `koanf:"cache_block" json:"cache_block,omitempty"`
	Metrics        string            `koanf:"metrics" json:"metrics,omitempty"` // URL; NoMetrics: it is not asked; empty: where engines have it
	MetricsEvery   time.Duration     `koanf:"metrics_interval" json:"metrics_interval_ns"`
	Engine         string            `koanf:"engine" json:"engine,omitempty"` // empty: auto
	EngineProbe    bool              `koanf:"engine_probe" json:"engine_probe,omitempty"`
	Speculation    Speculation       `koanf:"speculation" json:"speculation,omitzero"`
}

// NoMetrics is the URL of a metrics page that is not asked for.
const NoMetrics = "none"

// Speculation is what is declared of the target's speculative decoding; engine.Speculation has its meaning.
type Speculation struct {
	Method         string         `koanf:"method" json:"method,omitempty"`
	Drafter        string         `koanf:"drafter" json:"drafter,omitempty"`
	WeightChecksum string         `koanf:"weight_checksum" json:"weight_checksum,omitempty"`
	TargetChecksum string         `koanf:"target_checksum" json:"target_checksum,omitempty"`
	Configuration  map[string]any `koanf:"configuration" json:"configuration,omitempty"`
	Tokens         int            `koanf:"num_speculative_tokens" json:"num_speculative_tokens,omitempty"`
}

// Workload names the component that makes trajectories, its configuration and its inputs.
type Workload struct {
	Name   string            `koanf:"name" json:"name"`
	Config map[string]any    `koanf:"config" json:"config"`
	Inputs map[string]string `koanf:"inputs" json:"-"`
}

// Load says how many users there are and what they do.
type Load struct {
	Users           int           `koanf:"users" json:"users"`
	Trajectories    uint64        `koanf:"trajectories" json:"trajectories"`
	Repeats         uint32        `koanf:"repeats" json:"repeats"`
	Order           string        `koanf:"order" json:"order"`
	Delays          bool          `koanf:"delays" json:"delays"`
	MaxDelay        time.Duration `koanf:"max_delay" json:"max_delay_ns"`
	Duration        time.Duration `koanf:"duration" json:"duration_ns"`
	Grace           time.Duration `koanf:"grace" json:"grace_ns"`
	Warmup          Warmup        `koanf:"warmup" json:"warmup"`
	Arrivals        Arrivals      `koanf:"arrivals" json:"arrivals"`
	Stages          []Stage       `koanf:"stages" json:"stages,omitempty"`
	Prefetch        int           `koanf:"prefetch" json:"prefetch"`
	StopOnFirstIdle bool          `koanf:"stop_on_first_idle" json:"stop_on_first_idle"`
	Start           string        `koanf:"start" json:"start,omitempty"`               // together, spread
	Replay          string        `koanf:"replay" json:"replay,omitempty"`             // all, last
	MaxContext      string        `koanf:"max_context" json:"max_context,omitempty"`   // tokens, or auto; empty: no limit
	OverContext     string        `koanf:"over_context" json:"over_context,omitempty"` // skip, truncate, end, fail
}

// Seeds bind a run to a published set of seeds.
type Seeds struct {
	Cohort string `koanf:"cohort" json:"cohort,omitempty"` // of submissions, e.g. 2026-12-C0
	Sets   string `koanf:"sets" json:"-"`                  // file with sets that are newer than this runner
}

// Warmup is what is played before measuring; at most one of the two is set.
type Warmup struct {
	Trajectories int           `koanf:"trajectories" json:"trajectories"`
	Duration     time.Duration `koanf:"duration" json:"duration_ns"`
}

// Window says which span of the run its figures describe.
type Window struct {
	Kind string `koanf:"kind" json:"kind"` // first-idle, steady, trim, all
	Trim string `koanf:"trim" json:"trim"` // share dropped at the start, for trim
}

// Judging says how judges run, and which files they are given.
type Judging struct {
	Workers         int                          `koanf:"workers" json:"workers"`
	Inputs          map[string]map[string]string `koanf:"inputs" json:"-"`                             // files by judge and by the name that it gives them
	EvaluationLimit time.Duration                `koanf:"evaluation_limit" json:"evaluation_limit_ns"` // of one scorer that asks the target itself
}

// Limits bounds what one plugin may use.
type Limits struct {
	Memory string        `koanf:"memory" json:"memory"`
	Open   time.Duration `koanf:"open" json:"open_ns"`
	Plan   time.Duration `koanf:"plan" json:"plan_ns"`
	Next   time.Duration `koanf:"next" json:"next_ns"`
	Batch  time.Duration `koanf:"batch" json:"batch_ns"`
}

// Honesty bounds how far the client itself may disturb the measurement.
type Honesty struct {
	MaxScheduleError time.Duration `koanf:"max_schedule_error" json:"max_schedule_error_ns"`
	ShareOfTTFT      string        `koanf:"share_of_ttft" json:"share_of_ttft"`
	Require          bool          `koanf:"require" json:"require"`
}

// Defaults returns the lowest layer.
func Defaults() Run {
	return Run{
		Target: Target{
			Stream: true, Usage: true, Recheck: true, MaxTokensKey: "max_tokens", APIKeyEnv: "PACELINE_API_KEY",
			ConnectTimeout: 10 * time.Second, TurnTimeout: time.Hour, MaxIdle: 4 * time.Second, MaxAnswer: 64 << 20,
			MetricsEvery: 10 * time.Second,
		},
		Load: Load{
			Users: 1, Order: "file", Delays: true, Grace: 30 * time.Second,
			Arrivals: Arrivals{Kind: "closed"}, Start: Together, Replay: "all", OverContext: "skip",
		},
		MaxTokens: 1024, History: "recorded", Thinking: "keep", ToolResults: "apart", Salt: "seeded",
		RoutingHeaders: []string{"X-Session-ID"},
		Window:         Window{Kind: "all", Trim: "20%"},
		TokenSource:    "usage",
		Checks:         true,
		Judging:        Judging{Workers: 1, EvaluationLimit: 24 * time.Hour},
		Limits: Limits{Memory: "256MiB", Open: 60 * time.Second, Plan: 2 * time.Second, Next: time.Second,
			Batch: 10 * time.Second},
		Honesty:   Honesty{MaxScheduleError: time.Millisecond, ShareOfTTFT: "1%"},
		MaxFailed: "0%",
	}
}
