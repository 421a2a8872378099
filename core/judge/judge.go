// Package judge runs validators, scorers and counters over a finished journal: it rebuilds what each judge asked for, cuts
// the samples into batches by a fixed rule, folds their accounts in batch order, and isolates a unit that makes its judge
// fail. It knows no plugin: it declares what it needs of one.
package judge

import (
	"context"
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Unit is what one item of a judge depends on. A batch holds whole units.
type Unit string

// Units.
const (
	UnitTurn         Unit = "turn"
	UnitConversation Unit = "conversation"
)

// Need names what a judge wants in its samples beside identity, outcome and timing.
type Need string

// Needs.
const (
	NeedAnswer    Need = "answer"
	NeedRecorded  Need = "recorded"
	NeedTruth     Need = "truth"
	NeedAppended  Need = "appended"
	NeedHistory   Need = "history"
	NeedTools     Need = "tools"
	NeedParams    Need = "params"
	NeedChunks    Need = "chunks"
	NeedTelemetry Need = "telemetry"
)

// Probe is a fact that the host fetches from the target, outside the window, and journals.
type Probe struct {
	ID          string          `json:"id"`
	After       bool            `json:"after"`              // after the run; else before it
	GetPath     string          `json:"get_path,omitempty"` // e.g. /version; or
	ChatRequest json.RawMessage `json:"chat_request,omitempty"`
}

// Fact is what a probe gave.
type Fact struct {
	Probe   string             `json:"probe"`
	Status  int                `json:"status"` // 0: no answer, and Error says why
	Headers []trajectory.Label `json:"headers,omitempty"`
	Body    []byte             `json:"body,omitempty"`
	Error   string             `json:"error,omitempty"`
}

// About describes one opened judge.
type About struct {
	Name          string            `json:"name"`   // full: source/plugin/component
	Kind          string            `json:"kind"`   // validator, scorer or counter
	Digest        trajectory.Digest `json:"digest"` // of the plugin's bytes
	Version       string            `json:"version"`
	Config        json.RawMessage   `json:"config,omitempty"` // as completed by the component
	Unit          Unit              `json:"unit"`
	Needs         []Need            `json:"needs,omitempty"`
	Probes        []Probe           `json:"-"`
	Deterministic bool              `json:"deterministic"` // wasm: equal requests give equal answers
}

// Item is one sample as a judge sees it. Fields that the judge did not ask for are empty.
type Item struct {
	*sample.Sample
	Domain          string
	Labels          []trajectory.Label
	InWindow        bool
	Answer          *chat.Answer // nil unless asked for
	Recorded        []byte       // JSON message
	Truth           []byte       // JSON
	TrajectoryTruth []byte       // JSON
	Appended        []byte       // JSON array
	History         []byte       // JSON array
	Tools           []byte       // JSON array
	Params          []byte       // JSON object
	Chunks          []sample.Chunk
	EndResult       []byte // JSON of a live agent's end
	Counted         *verdict.Count
}

// Checked is a validator's answer for one batch.
type Checked struct {
	Findings []verdict.Finding
	Account  []byte // at most 1 MiB
}

// Scored is a scorer's answer for one batch.
type Scored struct {
	Items   []verdict.ItemScore
	Account []byte // at most 1 MiB
}

// Conclusion is what a judge gets at the end beside its account.
type Conclusion struct {
	Account   []byte
	Metrics   json.RawMessage // schemas/metrics/v1: no verdicts, no scores
	RunConfig json.RawMessage // resolved, without secrets
	Facts     []Fact
	Telemetry json.RawMessage
}

// Validator says whether what was measured may count. Each Check runs in a fresh instance; calls may run concurrently.
type Validator interface {
	About() About
	Preflight(ctx context.Context, facts []Fact, runConfig json.RawMessage) ([]verdict.Finding, error)
	Check(ctx context.Context, batch []Item) (Checked, error)
	Fold(ctx context.Context, account, batch []byte) ([]byte, error)
	Conclude(ctx context.Context, c Conclusion) (verdict.Verdict, error)
}

// Scorer says how good the answers were. Each Score runs in a fresh instance; calls may run concurrently.
type Scorer interface {
	About() About
	Score(ctx context.Context, batch []Item) (Scored, error)
	Fold(ctx context.Context, account, batch []byte) ([]byte, error)
	Conclude(ctx context.Context, c Conclusion) (verdict.Score, error)
}

// Counter counts tokens by a model's own tokenizer; it answers one Count per item, in order.
type Counter interface {
	About() About
	Count(ctx context.Context, batch []Item) ([]verdict.Count, error)
}

// Judgement is the whole of what one component concluded, as the judgements file keeps it.
type Judgement struct {
	About
	Seed         string              `json:"seed"` // hex of the component's seed
	Preflight    []verdict.Finding   `json:"preflight,omitempty"`
	Findings     []verdict.Finding   `json:"findings,omitempty"` // the first ones, up to the limit
	Dropped      uint64              `json:"dropped,omitempty"`  // findings beyond the limit
	Items        []verdict.ItemScore `json:"items,omitempty"`
	Counts       []verdict.Count     `json:"counts,omitempty"` // counters: in sample order
	Verdict      *verdict.Verdict    `json:"verdict,omitempty"`
	Score        *verdict.Score      `json:"score,omitempty"`
	PluginErrors []UnitError         `json:"plugin_errors,omitempty"`
	Error        string              `json:"error,omitempty"` // the judge as a whole failed
}

// UnitError names a unit that made its judge fail, also when it was judged alone in a fresh instance.
type UnitError struct {
	Trajectory string  `json:"trajectory"`
	Repeat     uint32  `json:"repeat"`
	Turn       *uint32 `json:"turn,omitempty"`
	Kind       string  `json:"kind"` // trap, exit, timeout, memory, malformed, status, ...
	Error      string  `json:"error"`
}
