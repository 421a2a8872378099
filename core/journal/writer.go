package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"paceline/core/digest"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Defaults of Options, and how records are gathered.
const (
	DefaultQueueBytes = 256 << 20
	DefaultFlushEvery = time.Second

	frameBytes = 1 << 20 // a frame is closed early at this size of its lines
)

// Options of a writer. Head needs everything but Rec, Schema, Segment and Previous, which the writer knows.
type Options struct {
	Head       Head
	Workload   string        // name of the workload whose plans Planned records
	QueueBytes int64         // 0: DefaultQueueBytes
	FlushEvery time.Duration // 0: DefaultFlushEvery; at most this long a record waits to be handed to the system
}

// Ending is what the foot of a segment tells.
type Ending struct {
	At        sample.Offset
	Reason    Reason
	Cause     string
	PlanNanos int64
}

// Writer appends one new segment, and new texts to the content store. Its recording methods are safe for concurrent use,
// never block and never fail: what the queue cannot hold, and what cannot be written, is counted as lost. One goroutine
// encodes, compresses and writes; another one syncs.
type Writer struct {
	workload string
	every    time.Duration
	queue    *queue
	segment  *frames
	store    *storeWriter
	lines    lines
	oldest   time.Time // when the first of lines came in
	calls    map[string]uint64
	head     digest.SHA256
	spare    []any
	records  atomic.Int64 // in the file
	unsaved  atomic.Int64 // could not be encoded or written
	dirty    atomic.Bool

	flushes chan chan error
	stop    chan Ending
	done    chan error
	synced  sync.WaitGroup
	unsync  chan struct{}

	mu    sync.Mutex
	fault error
	ended bool
}

// NewWriter opens the next segment of dir and writes its head. Segments that are there already stay as they are.
func NewWriter(dir string, o Options) (*Writer, error) {
	w := &Writer{
		workload: o.Workload, every: o.FlushEvery, calls: map[string]uint64{}, flushes: make(chan chan error),
		stop: make(chan Ending, 1), done: make(chan error, 1), unsync: make(chan struct{}),
	}
	if w.every <= 0 {
		w.every = DefaultFlushEvery
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = DefaultQueueBytes
	}
	w.queue = newQueue(o.QueueBytes)
	if err := w.open(dir, o.Head); err != nil {
		return nil, fmt.Errorf("open journal in %s: %w", dir, err)
	}
	w.synced.Go(w.syncLoop)
	go w.loop()
	return w, nil
}

func (w *Writer) open(dir string, head Head) error {
	list, err := segments(dir)
	if err != nil {
		return err
	}
	head.Rec, head.Schema, head.Segment, head.Previous = "head", Version, 1, nil
	if len(list) > 0 {
		last := list[len(list)-1]
		data, err := os.ReadFile(filepath.Join(dir, SegmentFile(last)))
		if err != nil {
			return err
		}
		sum := digest.Of(data)
		head.Segment, head.Previous = last+1, &sum
	}
	head.Epoch = head.Epoch.UTC().Round(0)
	known, err := storedDigests(dir)
	if err != nil {
		return err
	}
	content, err := openFrames(filepath.Join(dir, ContentFile), false)
	if err != nil {
		return err
	}
	w.store = &storeWriter{out: content, known: known}
	w.segment, err = openFrames(filepath.Join(dir, SegmentFile(head.Segment)), true)
	if err == nil {
		err = w.lines.add(&head)
		w.head = digest.Of(bytes.TrimSuffix(w.lines.buf.Bytes(), []byte("\n")))
		err = errors.Join(err, w.flush(), syncDir(dir))
		if err != nil {
			err = errors.Join(err, w.segment.close())
		}
	}
	if err != nil {
		return errors.Join(err, content.close())
	}
	return nil
}

// Head is the digest of the segment's head, see HeadDigest.
func (w *Writer) Head() digest.SHA256 { return w.head }

// Planned records a trajectory of the options' workload.
func (w *Writer) Planned(t *trajectory.Trajectory, repeat uint32) { w.PlannedIn(w.workload, t, repeat) }

// PlannedIn records a trajectory of a named workload.
func (w *Writer) PlannedIn(workload string, t *trajectory.Trajectory, repeat uint32) {
	w.queue.put(planned{workload, t, repeat, nil}, int64(recordSize+turnSize*len(t.Turns)))
}

// SkippedIn records a trajectory of a named workload that no conversation plays, and why.
func (w *Writer) SkippedIn(workload string, t *trajectory.Trajectory, repeat uint32, why sample.Skipped) {
	w.queue.put(planned{workload, t, repeat, &why}, int64(recordSize+turnSize*len(t.Turns)))
}

// Started records the start of a conversation.
func (w *Writer) Started(c *sample.Conversation) {
	w.queue.put(&Start{"start", *c}, int64(2*recordSize))
}

// Ended records the end of a conversation.
func (w *Writer) Ended(c *sample.Conversation) {
	w.queue.put(&End{"end", *c}, int64(2*recordSize+len(c.Result)))
}

// Sent records that a request went out.
func (w *Writer) Sent(id sample.ID, at sample.Offset, bytes int64) {
	w.queue.put(&Sent{"sent", id, at, bytes}, recordSize)
}

// Sampled records one planned turn. The sample is kept, not copied: it is not written to afterwards.
func (w *Writer) Sampled(s *sample.Sample) { w.queue.put(s, sizeOf(s)) }

// Stepped records one step of a live conversation, in the order of these calls.
func (w *Writer) Stepped(id sample.ID, next *trajectory.Step, start, done sample.Offset) {
	w.queue.put(stepped{id, next, start, done}, int64(recordSize+turnSize*len(next.Turns)))
}

// Phase records the border between two phases.
func (w *Writer) Phase(p sample.Phase, at sample.Offset) {
	w.queue.put(&PhaseChange{"phase", p, at}, recordSize)
}

// Fact records what a probe of the target gave.
func (w *Writer) Fact(f verdict.Fact, at sample.Offset) {
	w.queue.put(&Probe{"probe", at, f}, int64(recordSize+len(f.Body)))
}

// Rechecked records what a second request about a silent turn told.
func (w *Writer) Rechecked(r *sample.Recheck) {
	w.queue.put(&Recheck{"recheck", *r}, int64(recordSize+len(r.Cause)))
}

// Checked records one look of the client at itself.
func (w *Writer) Checked(c sample.SelfCheck) { w.queue.put(&SelfCheck{"selfcheck", c}, recordSize) }

// Told records what the target told about itself; body goes to the content store.
func (w *Writer) Told(source string, at sample.Offset, body []byte) {
	w.queue.put(told{source, at, body}, int64(recordSize+len(body)))
}

// Metered records a reading of the target's metrics page, or that it is missing.
func (w *Writer) Metered(t Telemetry) {
	t.Rec = "telemetry"
	w.queue.put(&t, int64(2*recordSize+len(t.Error)))
}

// QueueBytes returns how much the records hold that were not written yet.
func (w *Writer) QueueBytes() int64 {
	bytes, _ := w.queue.state()
	return bytes
}

// Lost returns how many records are lost so far: those that did not fit the queue, and those that could not be written.
func (w *Writer) Lost() int64 {
	_, lost := w.queue.state()
	return lost + w.unsaved.Load()
}

// Err returns the first error of writing, or nil. A run whose journal had one is not valid; later records are tried anyway.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

func (w *Writer) fail(err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		w.fault = fmt.Errorf("write journal: %w", err)
	}
}

// Flush returns when every record that was handed over before is in the file, and synced; it returns Err.
func (w *Writer) Flush() error {
	reply := make(chan error, 1)
	select {
	case w.flushes <- reply:
		return <-reply
	case err := <-w.done:
		w.done <- err
		return err
	}
}

// Close writes what waits and the foot, syncs, and ends the writer. It returns the first error that writing ever had.
// Records that come later are lost. A second Close returns the same and changes nothing.
func (w *Writer) Close(e Ending) error {
	w.queue.close()
	w.mu.Lock()
	first := !w.ended
	w.ended = true
	w.mu.Unlock()
	if first {
		w.stop <- e
	}
	err := <-w.done
	w.done <- err
	return err
}
