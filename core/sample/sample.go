package sample

import (
	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/trajectory"
	"time"
)

// ID names one planned turn of one conversation. Branch is 0 for the main line.
type ID struct {
	Workload   string `json:"workload"`
	Trajectory string `json:"trajectory"`
	Index      uint64 `json:"index"`   // of the trajectory in its workload
	Repeat     uint32 `json:"repeat"`  // 0 for the first pass
	Attempt    uint32 `json:"attempt"` // 0; higher after the runner died and the conversation began again
	User       uint32 `json:"user"`
	Turn       uint32 `json:"turn"`
	Branch     uint32 `json:"branch"`
}

// Conversation returns the identity without its turn and branch.
func (id ID) Conversation() ID {
	id.Turn, id.Branch = 0, 0
	return id
}

// Exchange is what one request gave: how it ended, when, and the evidence. An Issuer fills it.
type Exchange struct {
	Outcome Outcome
	Cause   string // one line about a failure, without secrets
	Timing  Timing
	Status  int // HTTP status, 0 where none came
	// Answer is what arrived, also before a failure; nil where nothing did.
	Answer *chat.Answer
	Chunks Chunks
	Notes  []string // sorted
	// Malformed counts data events that were not JSON.
	Malformed int
	// ConnectionRetries is 1 where a reused connection died before any response byte and the request was sent once more.
	ConnectionRetries int
	// Received is the body as it came, kept for failures.
	Received *Received
}

// Planned is how long a turn was to be, in tokens; 0: its trajectory does not say.
type Planned struct {
	Prompt int64  `json:"prompt,omitempty"`
	Output uint32 `json:"output,omitempty"`
}

// Basis is for how many tokens the history before a turn was taken when the turn's messages were made.
type Basis struct {
	MicroTokens int64 `json:"micro_tokens"` // millionths of tokens
	// Counted says that the target's tokenizer told the tokens of the newest answer, and Asked that it was asked: a request
	// outside the load, between two turns. Else they are an expectation.
	Counted bool `json:"counted,omitempty"`
	Asked   bool `json:"asked,omitempty"`
	// Least says that the turn's filler is as short as can be, and that the request is too long all the same: what came before
	// came to more than was planned.
	Least bool `json:"least,omitempty"`
}

// Received is the evidence of a failed answer: the bytes of the body that arrived.
type Received struct {
	Bytes  int64         `json:"bytes"`
	SHA256 digest.SHA256 `json:"sha256"`
	Head   []byte        `json:"head"` // the first bytes, at most the configured limit; secrets replaced
	Cut    bool          `json:"cut,omitempty"`
}

// Sample is one planned turn of a started conversation, sent or not.
type Sample struct {
	ID
	Phase        Phase
	RequestBytes int64
	// Waits are the turns that this one waited for, where that is not just the turn before it in its branch.
	Waits []uint32
	// ForkOf is, of a branch's first turn, the turn whose history the branch goes on from; nil: its history began empty.
	ForkOf *uint32
	// DelayCut is how much of the planned tool delay the run's limit took away.
	DelayCut time.Duration
	// Planned is what the trajectory wanted the turn to have.
	Planned Planned
	// Basis is what the turn's messages were made by where their lengths follow what the target told of the turns before.
	// nil: it was made as planned.
	Basis *Basis
	// LeftOut is how many of the trajectory's first turns are left out of the request: their answers, and what the client
	// appended after each.
	LeftOut int
	// Rewrites counts ids of tool results that were replaced by the live answer's ids for this request.
	Rewrites int
	Exchange
}

// Followed is the turn's basis, zero where it has none.
func (s *Sample) Followed() Basis {
	if s.Basis == nil {
		return Basis{}
	}
	return *s.Basis
}

// Conversation is one live replay of a trajectory.
type Conversation struct {
	ID                         // Turn and Branch are 0
	Domain  string             `json:"domain,omitempty"`
	Labels  []trajectory.Label `json:"labels,omitempty"`
	Target  string             `json:"target,omitempty"` // its name, in a run with several: all turns of the conversation ask it
	Planned int                `json:"planned"`          // turns that the plan, or the part of it that is played, has; live ones add those that came later
	Part    *Part              `json:"part,omitempty"`   // nil: the whole trajectory is played
	Phase   Phase              `json:"phase"`            // at its start
	Arrival Offset             `json:"arrival"`          // open loop: when it was to start; else Unset
	Start   Offset             `json:"start"`            // when the user took it
	End     Offset             `json:"end"`              // Unset while it runs, or where the runner died
	State   State              `json:"state"`
	Cause   string             `json:"cause,omitempty"`
	Outcome string             `json:"outcome,omitempty"` // a live agent's own word
	Result  []byte             `json:"result,omitempty"`  // a live agent's own result, JSON
}

// State says how a conversation ended.
type State string

// States of conversations.
const (
	Complete    State = "complete"     // every planned turn is ok
	Failed      State = "failed"       // a turn failed
	Overflow    State = "overflow"     // a turn did not fit the model's context
	Ended       State = "cancelled"    // the run ended first
	Broken      State = "plugin_error" // its plugin failed
	Interrupted State = "unfinished"   // the runner died first
)
