package audit

import (
	"paceline/core/digest"
	"paceline/core/stats"
)

// Schema is the name and version of the format that Result marshals to.
const Schema = "audit/v1"

// Bounds of the audit.
const (
	MaxFaster   = 0.10 // the second pass may decode so much faster
	MaxEqual    = 0.05 // so many of the long answers may be equal
	LongBytes   = 256  // of generated text: an answer from there on is long; shorter ones may be equal by chance
	LeastPaired = 8    // trajectories, below which nothing is concluded
)

// Verdict is what an audit comes to.
type Verdict string

// Verdicts.
const (
	Passed       Verdict = "passed"
	Failed       Verdict = "failed"
	Inconclusive Verdict = "inconclusive"
)

// Result is what the comparison of two passes found.
type Result struct {
	Schema  string   `json:"schema"`
	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"` // of a verdict other than passed
	Passes  [2]Pass  `json:"passes"`
	Paired  Paired   `json:"paired"`
	Decode  Decode   `json:"decode"`
	Equal   Equality `json:"equal_answers"`
	// FirstToken is told, and never judged.
	FirstToken FirstToken `json:"ttft"`
}

// Pass names one of the two runs.
type Pass struct {
	Run       string        `json:"run"`
	RunConfig digest.SHA256 `json:"run_config"` // of run.json
	OK        int           `json:"ok_turns"`
	Failed    int           `json:"failed_turns"` // failed or never sent
}

// Paired is how much could be compared: turns that are ok in both passes.
type Paired struct {
	Trajectories int `json:"trajectories"`
	Turns        int `json:"turns"`
	Decoded      int `json:"decoded_turns"` // with at least two tokens in each pass
}

// Decode compares the time per output token after the first one.
type Decode struct {
	Unit    string      `json:"unit"` // token, or byte where the target tells no usage
	First   stats.Num   `json:"first_us"`
	Second  stats.Num   `json:"second_us"`
	Faster  stats.Num   `json:"faster"` // 1 - second/first
	Low     stats.Num   `json:"faster_low"`
	High    stats.Num   `json:"faster_high"` // ends of the 95 % interval
	Bound   stats.Num   `json:"bound"`
	Verdict Verdict     `json:"verdict"`
	Turns   []TurnRange `json:"by_turn"`
}

// TurnRange is the same for the turns at some positions of their trajectories.
type TurnRange struct {
	From   int       `json:"from"` // 1-based
	To     int       `json:"to"`
	Paired int       `json:"paired"`
	First  stats.Num `json:"first_us"`
	Second stats.Num `json:"second_us"`
}

// Equality counts long answers that came twice, byte for byte. Ids of tool calls do not count: they are drawn anew.
type Equality struct {
	Long    int       `json:"long"` // in both passes, sampled at temperature 1 without a seed
	Equal   int       `json:"equal"`
	Share   stats.Num `json:"share"`
	Bound   stats.Num `json:"bound"`
	Skipped int       `json:"skipped"` // paired turns whose request fixed the answer, or was short
	Verdict Verdict   `json:"verdict"`
}

// FirstToken is the mean time to the first token of the paired turns.
type FirstToken struct {
	First  stats.Num `json:"first_ms"`
	Second stats.Num `json:"second_ms"`
}
