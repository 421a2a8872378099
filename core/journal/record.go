// Package journal is the files of a run: segments of JSON Lines in independent zstd frames, the content store, and the
// judgements; appending, reading, and recovering what a crash left. schemas/journal/v1 describes every record.
//
// A record is one JSON object on one line whose first key is "rec". Writing never blocks the timed path: records wait in a
// queue that is bounded in bytes, and what does not fit is counted as lost.
package journal

import (
	"encoding/json"
	"time"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Version is the version of the journal's format.
const Version = "journal/v1"

// Head is the first record of a segment.
type Head struct {
	Rec       string         `json:"rec"` // head
	Schema    string         `json:"schema"`
	Run       string         `json:"run"`
	Segment   int            `json:"segment"`            // 1-based
	Worker    string         `json:"worker,omitempty"`   // empty: the one process
	Epoch     time.Time      `json:"epoch"`              // wall clock at offset 0, UTC
	Previous  *digest.SHA256 `json:"previous,omitempty"` // of the whole file of the segment before
	Attempt   uint32         `json:"attempt"`            // attempts of conversations in this segment start here
	Build     string         `json:"build"`
	RunConfig digest.SHA256  `json:"run_config"` // of run.json
	Lock      *digest.SHA256 `json:"lock,omitempty"`
}

// Plan is one distinct trajectory as planned. Content is the digest of its document in the content store.
type Plan struct {
	Rec        string             `json:"rec"` // plan
	Workload   string             `json:"workload"`
	Trajectory string             `json:"trajectory"`
	Index      uint64             `json:"index"`
	Repeat     uint32             `json:"repeat"`
	Content    digest.SHA256      `json:"content"`
	Turns      []uint32           `json:"turns"`              // indexes of the planned turns, in plan order
	Branches   []uint32           `json:"branches,omitempty"` // of those turns; left out where all are 0
	Domain     string             `json:"domain,omitempty"`
	Labels     []trajectory.Label `json:"labels,omitempty"`
	Skipped    *sample.Skipped    `json:"skipped,omitempty"` // why no conversation plays it; nil: nothing speaks against it
}

// Start is the start of a conversation, written before its first send.
type Start struct {
	Rec string `json:"rec"` // start
	sample.Conversation
}

// End is the end of a conversation.
type End struct {
	Rec string `json:"rec"` // end
	sample.Conversation
}

// Sent says that a request went out; its sample follows unless the runner dies.
type Sent struct {
	Rec string `json:"rec"` // sent
	sample.ID
	At    sample.Offset `json:"at"`
	Bytes int64         `json:"bytes"`
}

// Live is one step of a live conversation. Step is its document in the content store.
type Live struct {
	Rec   string `json:"rec"`   // live
	Order uint64 `json:"order"` // the call's number in this workload
	sample.ID
	Start sample.Offset `json:"start"`
	Done  sample.Offset `json:"done"`
	Step  digest.SHA256 `json:"step"`
	Turns []uint32      `json:"turns,omitempty"` // indexes of the turns that it added
	// Branches are those of the added turns; left out where all are 0.
	Branches []uint32        `json:"branches,omitempty"`
	End      *trajectory.End `json:"end,omitempty"`
}

// Sample is one planned turn. Instants that were not reached are left out.
type Sample struct {
	Rec string `json:"rec"` // sample
	sample.ID
	Phase             sample.Phase     `json:"phase"`
	Outcome           sample.Outcome   `json:"outcome"`
	Cause             string           `json:"cause,omitempty"`
	Timing            Timing           `json:"timing"`
	Status            int              `json:"status,omitempty"`
	RequestBytes      int64            `json:"request_bytes,omitempty"`
	Waits             []uint32         `json:"waits,omitempty"`   // turns that it waited for; left out where it follows its branch's last
	ForkOf            *uint32          `json:"fork_of,omitempty"` // the turn whose history its branch goes on from
	DelayCut          time.Duration    `json:"delay_cut_ns,omitempty"`
	Planned           *sample.Planned  `json:"planned,omitempty"`
	Basis             *sample.Basis    `json:"basis,omitempty"`
	LeftOut           int              `json:"left_out,omitempty"` // turns whose answers, and what followed each, the request lacks: the first so many
	Rewrites          int              `json:"rewrites,omitempty"`
	ConnectionRetries int              `json:"connection_retries,omitempty"`
	Malformed         int              `json:"malformed_events,omitempty"`
	Notes             []string         `json:"notes,omitempty"`
	Answer            *chat.Answer     `json:"answer,omitempty"`
	Chunks            []byte           `json:"chunks,omitempty"` // sample.Chunks, base64
	Received          *sample.Received `json:"received,omitempty"`
}

// Timing is sample.Timing with unset instants left out.
type Timing struct {
	Due          *sample.Offset `json:"due,omitempty"`
	Sent         *sample.Offset `json:"sent,omitempty"`
	BodySent     *sample.Offset `json:"body_sent,omitempty"`
	FirstByte    *sample.Offset `json:"first_byte,omitempty"`
	FirstToken   *sample.Offset `json:"first_token,omitempty"`
	FirstAnswer  *sample.Offset `json:"first_answer,omitempty"`
	LastToken    *sample.Offset `json:"last_token,omitempty"`
	Done         *sample.Offset `json:"done,omitempty"`
	NextStart    *sample.Offset `json:"next_start,omitempty"`
	NextDone     *sample.Offset `json:"next_done,omitempty"`
	ConnectStart *sample.Offset `json:"connect_start,omitempty"`
	ConnectDone  *sample.Offset `json:"connect_done,omitempty"`
	Reused       bool           `json:"reused,omitempty"`
}

// PhaseChange is the border between two phases.
type PhaseChange struct {
	Rec   string        `json:"rec"` // phase
	Phase sample.Phase  `json:"phase"`
	At    sample.Offset `json:"at"`
}

// Probe is a fact about the target.
type Probe struct {
	Rec string        `json:"rec"` // probe
	At  sample.Offset `json:"at"`
	verdict.Fact
}

// Recheck is what the target said to a second request about a turn that ended without a word.
type Recheck struct {
	Rec string `json:"rec"` // recheck
	sample.Recheck
}

// SelfCheck is one look of the client at itself.
type SelfCheck struct {
	Rec string `json:"rec"` // selfcheck
	sample.SelfCheck
}

// Telemetry is what the target told about itself: a text by its content digest, or what was kept of its metrics page, or why
// that page could not be read.
type Telemetry struct {
	Rec     string          `json:"rec"` // telemetry
	At      sample.Offset   `json:"at"`
	Target  string          `json:"target,omitempty"` // that was asked, in a run with several
	Source  string          `json:"source"`
	Body    digest.SHA256   `json:"body,omitzero"`
	Reading *engine.Reading `json:"reading,omitempty"`
	Missing Missing         `json:"missing,omitempty"`
	Error   string          `json:"error,omitempty"` // of a missing reading, without secrets
}

// Missing says why a metrics page gave no reading.
type Missing string

// Why a reading is missing.
const (
	NotExposed Missing = "not_exposed" // the target has no page that is known; it is not asked again
	Unread     Missing = "unread"      // this time it did not come
)

// Reason says why a run ended.
type Reason string

// Reasons.
const (
	ReasonComplete    Reason = "complete"    // everything that was to be played was played
	ReasonDuration    Reason = "duration"    // the time limit was reached
	ReasonInterrupted Reason = "interrupted" // asked to stop: drained
	ReasonAborted     Reason = "aborted"     // asked twice: open turns were cut
	ReasonFailed      Reason = "failed"      // the runner could not go on
)

// Foot is the last record of a segment that was closed in order.
type Foot struct {
	Rec       string        `json:"rec"` // foot
	At        sample.Offset `json:"at"`
	Reason    Reason        `json:"reason"`
	Cause     string        `json:"cause,omitempty"`
	Records   int64         `json:"records"` // before this one
	Lost      int64         `json:"lost"`    // records that did not fit the queue or could not be written
	PlanNanos int64         `json:"plan_ns"` // time of preparation before the epoch of the first turn
}

// Content is one record of the content store: a text, once, by its digest. Exactly one of Text and Base64 is set, or
// neither for the empty text.
type Content struct {
	SHA256 digest.SHA256 `json:"sha256"`
	Text   *string       `json:"text,omitempty"`   // valid UTF-8
	Base64 []byte        `json:"base64,omitempty"` // anything else
}

// Run is a journal as read, joined over its segments. A run that was cut short has no Foot, and its conversations and
// turns are completed with state unfinished and outcomes unfinished or not_sent, so that no planned turn is missing.
type Run struct {
	Heads         []Head
	Epoch         time.Time // of all offsets here: the earliest epoch of the segments
	Plans         []Plan
	Conversations []sample.Conversation // by start
	Samples       []sample.Sample       // by (workload, index, repeat, attempt, turn order)
	Phases        []PhaseChange
	Lives         []Live
	Facts         []Probe
	Rechecks      []sample.Recheck // their samples and conversations are explained by them already
	SelfChecks    []sample.SelfCheck
	Telemetry     []Telemetry
	Foot          *Foot // of the last segment; nil: the run was cut short
	Incomplete    bool  // a segment has no foot
	Torn          int64 // bytes at the end of a segment that held no whole record
	Unknown       int64 // records of kinds that this version does not know
	Damage        []Damage
	Recovered     int64 // samples that the journal did not hold, completed when it was read
	Content       Contents
}

// Contents finds texts of the content store by digest.
type Contents interface {
	// Get returns the text, and false where the store does not hold it.
	Get(d digest.SHA256) ([]byte, bool)
}

// RunConfig is run.json: everything that shaped the run, resolved, without secrets. The session fills it; its meaning is
// told by schemas/run/v1.
type RunConfig struct {
	Schema      string          `json:"schema"` // run/v1
	Run         string          `json:"run"`
	Config      json.RawMessage `json:"config"`            // the resolved run file
	Origins     json.RawMessage `json:"origins,omitempty"` // where each value came from
	Build       Build           `json:"build"`
	Environment Environment     `json:"environment"`
	Preset      *Preset         `json:"preset,omitempty"` // nil: the run has none
	Lock        LockState       `json:"lock"`
	Plugins     []Plugin        `json:"plugins"`
	Inputs      []Input         `json:"inputs"`
	Salt        Salt            `json:"salt"`
	Lengths     *filler.Lengths `json:"lengths,omitempty"`  // how planned lengths became prompts; nil: nothing was made of lengths
	Contexts    *Contexts       `json:"contexts,omitempty"` // how trajectories fit the longest context; nil: there is none
	Seed        string          `json:"seed"`               // decimal, unsigned 64 bit
	Seeds       *Seeds          `json:"seed_set,omitempty"` // nil: the run is bound to no published set
	Clock       string          `json:"clock,omitempty"`    // ClockSimulated, or empty: the real one
	Endpoint    string          `json:"endpoint"`           // the URL that requests go to, without credentials; empty: see Targets
	Targets     []Target        `json:"targets,omitempty"`  // in place of Endpoint, of a run with several
	Proxy       string          `json:"proxy"`              // none, or the proxy's host without credentials
	TLSVerify   bool            `json:"tls_verify"`
	Engine      *Engine         `json:"engine,omitempty"`    // nil: nothing is known of it; of several targets, what they have in common
	Workload    Workload        `json:"workload,omitzero"`   // of a run with one
	Workloads   []Workload      `json:"workloads,omitempty"` // of a run that mixes several, sorted by name
}

// ClockSimulated is the clock of a run that was played in virtual time.
const ClockSimulated = "simulated"

// Target is one of several targets of a run.
type Target struct {
	Name         string  `json:"name"`
	Endpoint     string  `json:"endpoint"` // the URL that requests go to, without credentials
	Weight       uint32  `json:"weight"`
	Accelerators int     `json:"accelerators,omitempty"` // of this one; 0: not given
	TLSVerify    bool    `json:"tls_verify"`
	Engine       *Engine `json:"engine,omitempty"` // nil: nothing is known of it
}

// Engine is the serving engine behind the target, as far as the target told before the load.
type Engine struct {
	Named    string    `json:"named,omitempty"`   // what the run file says that it is
	Kind     string    `json:"kind,omitempty"`    // vllm, sglang, trtllm, llamacpp
	Program  string    `json:"program,omitempty"` // of the server
	Version  string    `json:"version,omitempty"`
	By       []string  `json:"by,omitempty"`       // what told it
	Warnings []Warning `json:"warnings,omitempty"` // what the run wants of it and does not get
}

// Warning is something that a reader should know, with what mends it.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Build says which runner this is.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// Environment is what the report tells about the machine of the client.
type Environment struct {
	CPUs   int    `json:"cpus"`
	CPU    string `json:"cpu,omitempty"`
	Kernel string `json:"kernel,omitempty"`
}

// LockState says how plugins and inputs were pinned.
type LockState struct {
	State      string         `json:"state"`                // pinned, unpinned
	Unofficial []string       `json:"unofficial,omitempty"` // reasons, e.g. dev-plugin
	Digest     *digest.SHA256 `json:"digest,omitempty"`
}

// Plugin is one plugin in use.
type Plugin struct {
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Source  string        `json:"source"`
	SHA256  digest.SHA256 `json:"sha256"`
}

// Input is one input in use.
type Input struct {
	Workload string        `json:"workload,omitempty"` // whose it is: a judge, or one of several workloads
	Name     string        `json:"name"`
	Path     string        `json:"path"` // base name only
	Size     int64         `json:"size"`
	SHA256   digest.SHA256 `json:"sha256"`
}

// Salt says how prompts of this run were kept apart from those of others.
type Salt struct {
	Scheme string `json:"scheme"` // none, mlperf, seeded
	Value  string `json:"value,omitempty"`
}

// Workload is what the workload said of itself.
type Workload struct {
	Name         string   `json:"name"`
	Component    string   `json:"component,omitempty"` // full name, where the run gives it a name of its own
	Weight       uint32   `json:"weight,omitempty"`    // where several are mixed
	Trajectories uint64   `json:"trajectories"`
	Fixed        bool     `json:"fixed"`
	Live         bool     `json:"live"`
	Provenance   string   `json:"provenance,omitempty"`
	Losses       []string `json:"losses,omitempty"`
	// Params and Tools are the workload's defaults for all trajectories: a JSON object and a JSON array, or nil.
	Params json.RawMessage `json:"params,omitempty"`
	Tools  json.RawMessage `json:"tools,omitempty"`
}
