package journal

import (
	"errors"
	"time"

	"paceline/core/digest"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// Records that need the writer's goroutine to become one.
type (
	planned struct {
		workload   string
		trajectory *trajectory.Trajectory
		repeat     uint32
		skipped    *sample.Skipped
	}
	stepped struct {
		id          sample.ID
		next        *trajectory.Step
		start, done sample.Offset
	}
	told struct {
		source string
		at     sample.Offset
		body   []byte
	}
)

// loop is the writer's goroutine. It looks at the queue ten times per flush interval, so a caller wakes it only when much
// waits, and a record is in the system's hands at most one interval after it came.
func (w *Writer) loop() {
	tick := time.NewTicker(w.every / 10)
	defer tick.Stop()
	for {
		select {
		case e := <-w.stop:
			w.drain()
			w.done <- w.finish(e)
			return
		case reply := <-w.flushes:
			w.drain()
			w.fail(errors.Join(w.flush(), w.store.out.sync(), w.segment.sync()))
			reply <- w.Err()
		case <-tick.C:
			w.drain()
			if w.lines.count > 0 && time.Since(w.oldest) >= w.every*8/10 {
				w.fail(w.flush())
			}
		case <-w.queue.kick:
			w.drain()
		}
	}
}

// drain encodes what waits in the queue.
func (w *Writer) drain() {
	items, size := w.queue.take(w.spare)
	for i, item := range items {
		if w.lines.count == 0 {
			w.oldest = time.Now()
		}
		if err := w.encode(item); err != nil {
			w.unsaved.Add(1)
			w.fail(err)
		}
		items[i] = nil
		if w.lines.buf.Len() >= frameBytes {
			w.fail(w.flush())
		}
	}
	w.spare = items
	w.queue.release(size)
}

// encode adds the line of one record, and its texts to the store.
func (w *Writer) encode(item any) error {
	switch r := item.(type) {
	case *sample.Sample:
		return w.lines.add(fromSample(r))
	case planned:
		return w.encodePlan(r)
	case stepped:
		return w.encodeStep(r)
	case told:
		text := Text{digest.Of(r.body), r.body}
		if err := w.store.put(text); err != nil {
			return err
		}
		return w.lines.add(&Telemetry{Rec: "telemetry", At: r.at, Source: r.source, Body: text.Digest})
	default:
		return w.lines.add(r)
	}
}

func (w *Writer) encodePlan(p planned) error {
	t := p.trajectory
	doc, err := EncodeTrajectory(t)
	if err != nil {
		return err
	}
	content, err := w.store.document(doc)
	if err != nil {
		return err
	}
	plan := &Plan{
		Rec: "plan", Workload: p.workload, Trajectory: t.ID, Index: t.Index, Repeat: p.repeat, Content: content,
		Domain: t.Domain, Labels: t.Labels, Skipped: p.skipped,
	}
	plan.Turns, plan.Branches = indexes(t.Turns)
	return w.lines.add(plan)
}

func (w *Writer) encodeStep(s stepped) error {
	doc, err := EncodeStep(s.next)
	if err != nil {
		return err
	}
	content, err := w.store.document(doc)
	if err != nil {
		return err
	}
	live := &Live{
		Rec: "live", Order: w.calls[s.id.Workload], ID: s.id, Start: s.start, Done: s.done, Step: content, End: s.next.End,
	}
	w.calls[s.id.Workload]++
	live.Turns, live.Branches = indexes(s.next.Turns)
	return w.lines.add(live)
}

func indexes(turns []trajectory.Turn) (index, branch []uint32) {
	index = make([]uint32, 0, len(turns))
	for i := range turns {
		index, branch = append(index, turns[i].Index), append(branch, turns[i].Branch)
	}
	return index, branches(branch)
}

// flush writes the store's lines and then the segment's, so that a record never refers to a text that the store lacks.
func (w *Writer) flush() error {
	err := w.store.flush()
	if w.lines.count > 0 {
		if failed := w.segment.append(w.lines.buf.Bytes()); failed != nil {
			w.unsaved.Add(w.lines.count)
			err = errors.Join(err, failed)
		} else {
			w.records.Add(w.lines.count)
		}
		w.lines.reset()
	}
	w.dirty.Store(true)
	return err
}

// finish writes the foot and closes the files.
func (w *Writer) finish(e Ending) error {
	w.fail(w.flush())
	close(w.unsync)
	w.synced.Wait()
	foot := &Foot{
		Rec: "foot", At: e.At, Reason: e.Reason, Cause: e.Cause, Records: w.records.Load(), Lost: w.Lost(),
		PlanNanos: e.PlanNanos,
	}
	w.fail(errors.Join(w.lines.add(foot), w.flush()))
	w.fail(errors.Join(w.store.out.close(), w.segment.close()))
	return w.Err()
}

// syncLoop syncs once a second what was written since, off the path of writing.
func (w *Writer) syncLoop() {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		select {
		case <-w.unsync:
			return
		case <-tick.C:
			if w.dirty.Swap(false) {
				w.fail(errors.Join(w.store.out.sync(), w.segment.sync()))
			}
		}
	}
}
