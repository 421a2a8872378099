package journal

import "paceline/core/sample"

// Contexts is how a run's trajectories fit the longest context, as it was counted before the load.
type Contexts struct {
	Most      int64          `json:"max_context"` // tokens of a turn's prompt and answer
	Told      bool           `json:"told_by_target,omitempty"`
	Over      string         `json:"over_context"`   // what becomes of trajectories that exceed it: skip, truncate, end, fail
	Rule      string         `json:"rule,omitempty"` // of lengths that are estimated
	Workloads []ContextCount `json:"workloads"`
}

// ContextCount is that of one workload.
type ContextCount struct {
	Workload     string           `json:"workload"`
	By           string           `json:"by"`           // how lengths are known: planned, counted, estimated
	Trajectories int              `json:"trajectories"` // that were looked at, of the first pass
	Sample       bool             `json:"sample"`       // they are not all that may be played
	Over         int              `json:"over"`
	Skipped      int              `json:"skipped"` // of those: that cannot be made to fit, or are to be skipped
	Longest      int64            `json:"longest_tokens"`
	LongestID    string           `json:"longest"`
	LongestIndex uint64           `json:"longest_index"`
	Examples     []ContextExample `json:"examples,omitempty"` // the first that exceed it
}

// ContextExample is one trajectory that exceeds the longest context.
type ContextExample struct {
	Trajectory string `json:"trajectory"`
	Index      uint64 `json:"index"`
	sample.Skipped
}
