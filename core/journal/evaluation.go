package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// EvaluationHead is the first record of the file of one evaluation. Files are numbered from 1 over all evaluators of a run
// and all judgings; none is opened again.
type EvaluationHead struct {
	Rec       string          `json:"rec"` // evaluation
	Schema    string          `json:"schema"`
	Run       string          `json:"run"`
	Number    int             `json:"number"`
	Component string          `json:"component"`
	Digest    digest.SHA256   `json:"digest"` // of the plugin
	Config    json.RawMessage `json:"config,omitempty"`
	Seed      string          `json:"seed"`
	Epoch     time.Time       `json:"epoch"`              // wall clock at offset 0, UTC
	Resumes   int             `json:"resumes,omitempty"`  // the file that it goes on from
	Endpoint  string          `json:"endpoint,omitempty"` // the URL that requests go to, without credentials
}

// Evaluate is one step of an evaluation. The first one of an evaluation that goes on from another holds all of its items.
type Evaluate struct {
	Rec        string              `json:"rec"` // evaluate
	At         sample.Offset       `json:"at"`
	State      *digest.SHA256      `json:"state,omitempty"` // nil: empty
	Done       bool                `json:"done,omitempty"`
	ItemsDone  uint64              `json:"items_done"`
	ItemsTotal uint64              `json:"items_total"`
	Status     string              `json:"status,omitempty"`
	Items      []verdict.ItemScore `json:"items,omitempty"`
}

// Relayed is one request of an evaluation that went through the relay.
type Relayed struct {
	Rec          string         `json:"rec"` // relay
	Number       int            `json:"number"`
	Conversation string         `json:"conversation,omitempty"`
	Stream       bool           `json:"stream,omitempty"`
	Outcome      sample.Outcome `json:"outcome"`
	Cause        string         `json:"cause,omitempty"`
	Timing       Timing         `json:"timing"`
	Status       int            `json:"status,omitempty"`
	Request      digest.SHA256  `json:"request"` // of the body as sent
	RequestBytes int64          `json:"request_bytes"`
	Answer       digest.SHA256  `json:"answer"` // of the body as passed on
	AnswerBytes  int64          `json:"answer_bytes"`
	Cut          bool           `json:"cut,omitempty"` // the store does not hold the answer: it is too large
	Usage        *chat.Usage    `json:"usage,omitempty"`
}

// EvaluationFoot is the last record of an evaluation that ended in order.
type EvaluationFoot struct {
	Rec     string        `json:"rec"` // evaluation_end
	At      sample.Offset `json:"at"`
	Done    bool          `json:"done"`
	Cause   string        `json:"cause,omitempty"` // why it was given up
	Passed  int           `json:"passed"`          // requests that the relay passed on
	Refused int           `json:"refused"`         // and those that it refused
}

// EvaluationFile returns the name of the nth evaluation's file, counted from 1.
func EvaluationFile(n int) string { return fmt.Sprintf("evaluation-%06d.jsonl.zst", n) }

var evaluationName = regexp.MustCompile(`^evaluation-(\d{6,9})\.jsonl\.zst$`)

// evaluations lists the numbers of the evaluations in dir, ascending.
func evaluations(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list evaluations: %w", err)
	}
	var list []int
	for _, e := range entries {
		m := evaluationName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && EvaluationFile(n) == e.Name() {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// EvaluationWriter writes the file of one evaluation, and its texts into the content store. Nothing here is on the timed
// path: it writes when it is told, each second at most while requests come. Its methods may be called concurrently.
type EvaluationWriter struct {
	mu      sync.Mutex
	out     *frames
	store   *storeWriter
	lines   lines
	written time.Time
	err     error // the first one
}

// NewEvaluationWriter begins the next evaluation of a run folder; of head, Rec, Schema and Number are filled in.
func NewEvaluationWriter(dir string, head EvaluationHead) (*EvaluationWriter, error) {
	list, err := evaluations(dir)
	if err != nil {
		return nil, err
	}
	head.Rec, head.Schema, head.Number, head.Epoch = "evaluation", Version, 1, head.Epoch.UTC().Round(0)
	if len(list) > 0 {
		head.Number = list[len(list)-1] + 1
	}
	known, err := storedDigests(dir)
	if err != nil {
		return nil, fmt.Errorf("open evaluation in %s: %w", dir, err)
	}
	content, err := openFrames(filepath.Join(dir, ContentFile), false)
	if err != nil {
		return nil, fmt.Errorf("open evaluation in %s: %w", dir, err)
	}
	out, err := openFrames(filepath.Join(dir, EvaluationFile(head.Number)), true)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open evaluation in %s: %w", dir, err), content.close())
	}
	w := &EvaluationWriter{out: out, store: &storeWriter{out: content, known: known}, written: time.Now()}
	w.add(&head, true)
	if w.err != nil {
		return nil, errors.Join(w.err, out.close(), content.close())
	}
	return w, syncDir(dir)
}

// Step records a step, and what was recorded before it is in the file then.
func (w *EvaluationWriter) Step(s Evaluate, state []byte) {
	s.Rec = "evaluate"
	if len(state) > 0 {
		sum := digest.Of(state)
		s.State = &sum
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.State != nil {
		w.fail(w.store.put(Text{*s.State, state}))
	}
	w.add(&s, true)
}

// Fact records what a probe of the target gave before the evaluation's first step.
func (w *EvaluationWriter) Fact(f verdict.Fact, at sample.Offset) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(&Probe{"probe", at, f}, false)
}

// Relayed records a request; request and answer are its bodies, the answer nil where it is too large for the store.
func (w *EvaluationWriter) Relayed(r Relayed, timing *sample.Timing, request, answer []byte) {
	r.Rec, r.Timing, r.Cut = "relay", fromTiming(timing), answer == nil && r.AnswerBytes > 0
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(w.store.put(Text{r.Request, request}))
	if !r.Cut {
		w.fail(w.store.put(Text{r.Answer, answer}))
	}
	w.add(&r, time.Since(w.written) >= time.Second)
}

// Close writes the foot and returns the first error that writing ever had.
func (w *EvaluationWriter) Close(foot EvaluationFoot) error {
	foot.Rec = "evaluation_end"
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(&foot, true)
	w.fail(errors.Join(w.store.out.close(), w.out.close()))
	return w.err
}

// add appends a record; w.mu is held, or nobody else has w yet.
func (w *EvaluationWriter) add(record any, now bool) {
	w.fail(w.lines.add(record))
	if !now && w.lines.buf.Len() < frameBytes {
		return
	}
	w.fail(w.store.flush()) // texts come before what refers to them
	if w.lines.count > 0 {
		w.fail(w.out.append(w.lines.buf.Bytes()))
	}
	w.fail(w.out.sync())
	w.lines.reset()
	w.written = time.Now()
}

func (w *EvaluationWriter) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write evaluation: %w", err)
	}
}
