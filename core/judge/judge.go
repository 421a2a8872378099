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
	Facts     []verdict.Fact
	Telemetry json.RawMessage
}

// Validator says whether what was measured may count. Each Check runs in a fresh instance; calls may run concurrently.
type Validator interface {
	About() verdict.About
	Preflight(ctx context.Context, facts []verdict.Fact, runConfig json.RawMessage) ([]verdict.Finding, error)
	Check(ctx context.Context, batch []Item) (Checked, error)
	Fold(ctx context.Context, account, batch []byte) ([]byte, error)
	Conclude(ctx context.Context, c Conclusion) (verdict.Verdict, error)
}

// Scorer says how good the answers were. Each Score runs in a fresh instance; calls may run concurrently.
type Scorer interface {
	About() verdict.About
	Score(ctx context.Context, batch []Item) (Scored, error)
	Fold(ctx context.Context, account, batch []byte) ([]byte, error)
	Conclude(ctx context.Context, c Conclusion) (verdict.Score, error)
}

// Counter counts tokens by a model's own tokenizer; it answers one Count per item, in order.
type Counter interface {
	About() verdict.About
	Count(ctx context.Context, batch []Item) ([]verdict.Count, error)
}
