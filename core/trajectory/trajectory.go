// Package trajectory holds planned agent runs: trajectories, their turns and branches, and their digests.
//
// A *Trajectory that passed Check is well formed. What is well formed may still ask for something that this runner does
// not play yet; Unplayable names it, and callers refuse it by that name.
package trajectory

import (
	"encoding/json"
	"time"
)

// Label is one key and value; lists of labels are sorted by key, without duplicates.
type Label struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Info is what a workload says of itself when it is opened.
type Info struct {
	Trajectories uint64          // 0: as many as asked for
	Live         bool            // turns come from Next
	Fixed        bool            // Plan ignores repeat and seed, so what was planned once may be kept
	Params       json.RawMessage // defaults of all trajectories: JSON object, or nil
	Tools        json.RawMessage // JSON array, or nil
	Provenance   string          // exact, estimated, provisional, recorded
	Losses       []string        // what the source format has and a trajectory cannot carry
}

// Trajectory is one agent run as planned. Its byte slices are shared by everything that reads it and are never written to.
type Trajectory struct {
	ID          string // unique in the workload; printable ASCII, since it becomes a header value
	Index       uint64 // 0-based position in the workload
	Domain      string
	Labels      []Label
	Params      json.RawMessage // defaults of its turns: JSON object, or nil
	Tools       json.RawMessage // JSON array, or nil
	Turns       []Turn
	State       []byte         // live: what the first Next gets
	StartOffset *time.Duration // recorded arrival, from the start of the run
	Truth       json.RawMessage
}

// Turn is one request with what the client adds before it.
type Turn struct {
	Index       uint32 // unique in the trajectory
	Append      []Message
	Delay       time.Duration // tool time before the request is sent
	Recorded    *Message      // the recorded answer
	Params      json.RawMessage
	MaxTokens   uint32    // 0: not said
	ExactTokens uint32    // 0: not asked for
	Final       bool      // its answer is the one that the user sees
	After       *[]uint32 // nil: the previous turn of the same branch; empty: at once
	Branch      uint32
	ForkOf      *uint32
	Labels      []Label
	Truth       json.RawMessage
}

// Message is one chat message: JSON kept byte for byte, or text composed by the host. Exactly one of the two is set.
type Message struct {
	JSON     json.RawMessage
	Composed *Composed
}

// Composed is a message whose text the host makes out of pieces.
type Composed struct {
	Role       string
	ToolCallID string
	Pieces     []Piece
}

// Piece is one part of a composed message. Exactly one field is set.
type Piece struct {
	Text         []byte
	Filler       *Filler
	AnswerOfTurn *uint32
}

// Scope says how far equal filler keys give equal text.
type Scope uint8

// Scopes of filler.
const (
	ScopeTrajectory Scope = iota + 1
	ScopeRun
	ScopeWorkload
)

// Filler is text of a given length in the target's tokens.
type Filler struct {
	Tokens uint32
	Key    []byte
	Scope  Scope
}

// Step is what a live conversation does next: further turns, or its end, or both.
type Step struct {
	State []byte
	Turns []Turn
	End   *End
}

// End is how a live conversation ended.
type End struct {
	Outcome string          `json:"outcome"`
	Result  json.RawMessage `json:"result,omitempty"`
}
