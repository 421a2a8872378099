// Package verdict holds what judges say: findings, a validator's verdict, a scorer's item scores and score.
//
// Numbers are integers in micro-units (value x 1,000,000), so that equal judgements have equal bytes on every machine.
package verdict

import "encoding/json"

// Severity of a finding.
type Severity string

// Severities, from lowest to highest.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Finding is one thing that a judge noticed, about the run or about one turn.
type Finding struct {
	Severity   Severity        `json:"severity"`
	Code       string          `json:"code"` // stable, kebab-case
	Message    string          `json:"message"`
	Workload   string          `json:"workload,omitempty"`   // of the trajectory, in a run of several; the host's to say
	Trajectory string          `json:"trajectory,omitempty"` // empty: about the whole run
	Repeat     uint32          `json:"repeat,omitempty"`
	Turn       uint32          `json:"turn,omitempty"`
	Detail     json.RawMessage `json:"detail,omitempty"`
}

// Value is one named number in micro-units.
type Value struct {
	Name  string `json:"name"`
	Micro int64  `json:"micro"`
	Unit  string `json:"unit,omitempty"`
}

// Verdict is a validator's conclusion over a whole run.
type Verdict struct {
	Passed   bool      `json:"passed"`
	Reason   string    `json:"reason,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Values   []Value   `json:"values,omitempty"`
}

// ItemScore is a scorer's answer for one turn, or for one conversation where Turn is nil.
type ItemScore struct {
	Workload   string          `json:"workload,omitempty"` // as in Finding
	Trajectory string          `json:"trajectory"`
	Repeat     uint32          `json:"repeat"`
	Turn       *uint32         `json:"turn,omitempty"`
	Scored     bool            `json:"scored"`
	Micro      int64           `json:"micro"`
	Reason     string          `json:"reason,omitempty"`
	Detail     json.RawMessage `json:"detail,omitempty"`
	Group      string          `json:"group,omitempty"`
}

// Score is a scorer's conclusion over a whole run.
type Score struct {
	Score          *Value  `json:"score"` // nil: nothing was scored
	HigherIsBetter bool    `json:"higher_is_better"`
	ThresholdMicro *int64  `json:"threshold_micro,omitempty"`
	Passed         bool    `json:"passed"`
	Complete       bool    `json:"complete"`
	Parts          []Value `json:"parts,omitempty"`
	Scored         uint64  `json:"scored"`
	Missing        uint64  `json:"missing"`
	Excluded       uint64  `json:"excluded"`
}

// Count is one sample's tokens by a counter component. A nil number is missing, and Reason says why.
type Count struct {
	Input           *uint64 `json:"input,omitempty"`
	Output          *uint64 `json:"output,omitempty"`
	FirstChunk      *uint64 `json:"first_chunk,omitempty"`
	AfterFirstChunk *uint64 `json:"after_first_chunk,omitempty"`
	Reason          string  `json:"reason,omitempty"`
}
