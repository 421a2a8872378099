package verdict

import (
	"encoding/json"

	"paceline/core/digest"
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
	Probe   string   `json:"probe"`
	Target  string   `json:"target,omitempty"` // that was asked, in a run with several
	Status  int      `json:"status"`           // 0: no answer, and Error says why
	Headers []Header `json:"headers,omitempty"`
	Body    []byte   `json:"body,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// KindWorkload is the kind of the judgement that says whether the run's workload planned the same trajectories again, and
// where it is live, took the same steps. It has a Verdict with the values below, and an Error where one differed.
const KindWorkload = "workload"

// Names of the values in the verdict of a workload.
const (
	PlannedAgain = "planned_again"
	PlannedFirst = "planned"
	SteppedAgain = "stepped_again" // live workloads only
	SteppedFirst = "stepped"
)

// About describes one opened judge.
type About struct {
	Name          string          `json:"name"`   // full: source/plugin/component
	Kind          string          `json:"kind"`   // validator, scorer, counter, or workload: see KindWorkload
	Digest        digest.SHA256   `json:"digest"` // of the plugin's bytes
	Version       string          `json:"version"`
	Config        json.RawMessage `json:"config,omitempty"` // as completed by the component
	Unit          Unit            `json:"unit"`
	Needs         []Need          `json:"needs,omitempty"`
	Probes        []Probe         `json:"-"`
	Deterministic bool            `json:"deterministic"` // wasm: equal requests give equal answers
}

// Header is one HTTP header of a fact.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Judgement is the whole of what one component concluded, as the judgements file keeps it.
type Judgement struct {
	About
	Seed         string      `json:"seed"` // hex of the component's seed
	Preflight    []Finding   `json:"preflight,omitempty"`
	Findings     []Finding   `json:"findings,omitempty"` // the first ones, up to the limit
	Dropped      uint64      `json:"dropped,omitempty"`  // findings beyond the limit
	Items        []ItemScore `json:"items,omitempty"`
	Counts       []Count     `json:"counts,omitempty"` // counters: one for each sample, in the order of the journal
	Verdict      *Verdict    `json:"verdict,omitempty"`
	Score        *Score      `json:"score,omitempty"`
	PluginErrors []UnitError `json:"plugin_errors,omitempty"`
	Error        string      `json:"error,omitempty"` // the judge as a whole failed
}

// UnitError names a unit that made its judge fail, also when it was judged alone in a fresh instance.
type UnitError struct {
	Workload   string  `json:"workload,omitempty"` // as in Finding
	Trajectory string  `json:"trajectory"`
	Repeat     uint32  `json:"repeat"`
	Turn       *uint32 `json:"turn,omitempty"`
	Kind       string  `json:"kind"` // trap, exit, timeout, memory, malformed, status, ...
	Error      string  `json:"error"`
}
