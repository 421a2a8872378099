package report

import (
	"encoding/json"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// Schema is the name and version of the format that Result marshals to.
const Schema = "result/v1"

// Status says how a run ended.
type Status string

// Statuses.
const (
	Complete    Status = "complete"
	TimeLimit   Status = "time_limit"
	Interrupted Status = "interrupted"
	Aborted     Status = "aborted"
	Incomplete  Status = "incomplete" // the runner died; what it recorded is reported
	Failed      Status = "failed"     // no turn succeeded, the runner could not go on, or the workload gave no trajectory or another one
)

// Result is report.json.
type Result struct {
	Schema     string    `json:"schema"`
	Run        string    `json:"run"`
	Status     Status    `json:"status"`
	Reason     string    `json:"reason,omitempty"`
	Unofficial []string  `json:"unofficial"` // why the run is not official; empty: nothing speaks against it
	Warnings   []Warning `json:"warnings"`
	What       What      `json:"what"`
	Failures   Allowed   `json:"allowed_failures"`
	Preset     *Preset   `json:"preset,omitempty"` // nil: the run has none
	// Target is what the target told of itself; nil: it was not asked. Speculation holds what is declared against that.
	Target      *Target          `json:"target,omitempty"`
	Targets     []ReportedTarget `json:"targets,omitempty"` // in place of Target, of a run with several
	Speculation *Speculation     `json:"speculation,omitempty"`
	Scores      []Score          `json:"scores"`
	Verdicts    []Verdict        `json:"verdicts"`
	Counters    []Counter        `json:"counters"`
	Lengths     *Lengths         `json:"lengths,omitempty"` // nil: nothing was made of lengths
	Reach       *Reach           `json:"reach,omitempty"`   // nil: trajectories were played whole
	Journal     Journal          `json:"journal"`
	Metrics     *metrics.Metrics `json:"metrics"`
}

// Warning is something that a reader should know before trusting a figure.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Allowed compares failures with what the run file allows.
type Allowed struct {
	MaxFailed string `json:"max_failed"`
	Failed    int    `json:"failed"`
	Planned   int    `json:"planned"`
	Exceeded  bool   `json:"exceeded"`
}

// What says what ran.
type What struct {
	Runner       journal.Build       `json:"runner"`
	Environment  journal.Environment `json:"environment"`
	Endpoint     string              `json:"endpoint"`          // empty: there are Targets
	Targets      []WhatTarget        `json:"targets,omitempty"` // of a run with several
	Model        string              `json:"model"`
	Stream       bool                `json:"stream"`
	UsageAsked   bool                `json:"usage_asked"`
	Proxy        string              `json:"proxy"`
	TLS          bool                `json:"tls"`
	TLSVerify    bool                `json:"tls_verify"`          // false without TLS
	Engine       *Engine             `json:"engine,omitempty"`    // nil: nothing is known of it
	Accelerators int                 `json:"accelerators"`        // of all targets; 0: not given
	Workload     Workload            `json:"workload,omitzero"`   // of a run with one
	Workloads    []Workload          `json:"workloads,omitempty"` // of a run that mixes several
	Plugins      []journal.Plugin    `json:"plugins"`
	Inputs       []journal.Input     `json:"inputs"`
	Lock         journal.LockState   `json:"lock"`
	Salt         journal.Salt        `json:"salt"`
	Seed         string              `json:"seed"`
	Seeds        *journal.Seeds      `json:"seed_set,omitempty"` // nil: bound to no published set
	History      string              `json:"history"`
	Thinking     string              `json:"thinking"`
	ToolResults  string              `json:"tool_results,omitempty"` // of parallel calls
	MaxTokens    uint32              `json:"max_tokens"`
	Params       json.RawMessage     `json:"params"`
	Override     json.RawMessage     `json:"override"`
	Load         Load                `json:"load"`
	RunConfig    *digest.SHA256      `json:"run_config,omitempty"` // of run.json
}

// WhatTarget is one of several targets.
type WhatTarget struct {
	Name         string  `json:"name"`
	Endpoint     string  `json:"endpoint"`
	Weight       uint32  `json:"weight"`
	Accelerators int     `json:"accelerators,omitempty"` // of this one; 0: not given
	TLSVerify    bool    `json:"tls_verify"`             // false without TLS
	Engine       *Engine `json:"engine,omitempty"`       // nil: nothing is known of it
}

// ReportedTarget is what one of several targets told of itself.
type ReportedTarget struct {
	Name     string  `json:"name"`
	Reported *Target `json:"reported,omitempty"` // nil: it was not asked
}

// Engine is the serving engine behind the target, as far as that told before the load.
type Engine struct {
	Named   string   `json:"named,omitempty"`   // what the run file says that it is
	Kind    string   `json:"kind,omitempty"`    // empty: the target told none
	Program string   `json:"program,omitempty"` // of the server
	Version string   `json:"version,omitempty"`
	By      []string `json:"by,omitempty"` // what told it
}

// Workload is what the workload said of itself.
type Workload struct {
	Name         string          `json:"name"`
	Component    string          `json:"component,omitempty"`  // where the run gives it a name of its own
	Weight       uint32          `json:"weight,omitempty"`     // in a mix
	Tenant       string          `json:"tenant,omitempty"`     // in a mix: who it is for, where the run says so
	History      string          `json:"history,omitempty"`    // in a mix
	Params       json.RawMessage `json:"params,omitempty"`     // in a mix: its own, above those of the run
	MaxTokens    uint32          `json:"max_tokens,omitempty"` // in a mix: its own
	Trajectories uint64          `json:"trajectories"`         // 0: as many as asked for
	Distinct     int             `json:"distinct_played"`
	Fixed        bool            `json:"fixed"`
	Live         bool            `json:"live"`
	Provenance   string          `json:"provenance,omitempty"`
	Losses       []string        `json:"losses,omitempty"`
	// Again tells of trajectories that were planned again after the load; nil: none were.
	Again *Again `json:"planned_again,omitempty"`
}

// Again says whether a seeded choice of the run's trajectories came out the same when fresh instances planned them again.
type Again struct {
	Planned uint64 `json:"planned"`
	Of      uint64 `json:"of"` // distinct plans of the run
	// Stepped counts steps of live conversations that were taken again, StepsOf those of the run.
	Stepped uint64 `json:"stepped,omitempty"`
	StepsOf uint64 `json:"steps_of,omitempty"`
	Error   string `json:"error,omitempty"` // the first that differed, with both digests
}

// Load is what was asked for.
type Load struct {
	Arrivals     string    `json:"arrivals"`
	Users        int       `json:"users"`
	Trajectories uint64    `json:"trajectories"` // 0: each once
	Repeats      uint32    `json:"repeats"`
	Order        string    `json:"order"`
	Delays       bool      `json:"delays"`
	MaxDelayMS   stats.Num `json:"max_delay_ms"`
	DurationMS   stats.Num `json:"duration_ms"`
	GraceMS      stats.Num `json:"grace_ms"`
	WarmupMS     stats.Num `json:"warmup_ms"`
	Warmup       int       `json:"warmup_trajectories"`
	Rate         stats.Num `json:"rate,omitzero"`        // conversations per second that arrive
	Burstiness   stats.Num `json:"burstiness,omitzero"`  // shape of gamma arrivals
	BurstSize    int       `json:"burst_size,omitempty"` // conversations at once
	EveryMS      stats.Num `json:"every_ms,omitzero"`    // between arrivals or bursts
	Stages       []Stage   `json:"stages,omitempty"`
	Start        string    `json:"start,omitempty"`        // spread; empty: with the first turns
	Replay       string    `json:"replay,omitempty"`       // last; empty: all turns
	MaxContext   string    `json:"max_context,omitempty"`  // tokens, or auto; empty: no limit
	OverContext  string    `json:"over_context,omitempty"` // with it
}

// Stage is a part of a load that changes with time.
type Stage struct {
	Users int       `json:"users,omitempty"`
	Rate  stats.Num `json:"rate,omitzero"` // conversations per second
	ForMS stats.Num `json:"for_ms"`
	Ramp  bool      `json:"ramp,omitempty"` // in a straight line from the level before
}

// Journal is the state of the files that all this was computed of.
type Journal struct {
	Segments   int              `json:"segments"`
	Incomplete bool             `json:"incomplete"`
	Lost       int64            `json:"lost"`
	Torn       int64            `json:"torn_bytes"`
	Unknown    int64            `json:"unknown_records"`
	Recovered  int64            `json:"recovered_samples"`
	Damage     []journal.Damage `json:"damage"`
	PrepareMS  stats.Num        `json:"prepare_ms"` // before the first turn could be sent
}

// Judge names one component that judged.
type Judge struct {
	Name    string          `json:"name"`
	Version string          `json:"version"`
	Digest  digest.SHA256   `json:"digest"`
	Config  json.RawMessage `json:"config,omitempty"`
	// Errors are units that made it fail, and Error is why it failed as a whole.
	Errors []verdict.UnitError `json:"plugin_errors,omitempty"`
	Error  string              `json:"error,omitempty"`
}

// Counter is who counted tokens, and what it said of turns that it could not count, or not by its usual way.
type Counter struct {
	Judge
	Remarks []Remark `json:"remarks"` // the most frequent ones, most turns first
}

// Remark is a reason that a counter gave, and for how many turns.
type Remark struct {
	Text  string `json:"text"`
	Turns int    `json:"turns"`
}

// Score is a scorer's conclusion.
type Score struct {
	Judge
	Complete       bool      `json:"complete"`
	Passed         bool      `json:"passed"`
	Value          stats.Num `json:"score"` // null: nothing was scored
	Unit           string    `json:"unit,omitempty"`
	HigherIsBetter bool      `json:"higher_is_better"`
	Threshold      stats.Num `json:"threshold"`
	Scored         uint64    `json:"scored"`
	Missing        uint64    `json:"missing"`
	Excluded       uint64    `json:"excluded"`
	Parts          []Value   `json:"parts"`
}

// NoBounds begins the reason of a validator that was given no bounds: it did not pass, and that is no failure.
const NoBounds = "no bounds"

// Verdict is a validator's conclusion.
type Verdict struct {
	Judge
	Passed   bool              `json:"passed"`
	Reason   string            `json:"reason,omitempty"`
	Values   []Value           `json:"values"`
	Findings Findings          `json:"findings"`
	First    []verdict.Finding `json:"first_findings"`
}

// Value is one named number.
type Value struct {
	Name  string    `json:"name"`
	Value stats.Num `json:"value"`
	Unit  string    `json:"unit,omitempty"`
}

// Findings counts findings by severity.
type Findings struct {
	Error   int    `json:"error"`
	Warning int    `json:"warning"`
	Info    int    `json:"info"`
	Dropped uint64 `json:"dropped"` // beyond the limit, of any severity
}
