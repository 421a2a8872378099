package journal

import "sync"

// urgent is how many waiting bytes wake the writer before its next tick.
const urgent = 1 << 20

// queue holds records between the timed path and the writer, bounded in bytes. Putting never waits for anything but the
// lock, which is only ever held for a few instructions; what does not fit is counted.
type queue struct {
	kick chan struct{} // holds one wake-up

	mu     sync.Mutex
	items  []any
	bytes  int64 // of waiting records, and of taken ones until they are released
	limit  int64
	lost   int64
	closed bool
}

func newQueue(limit int64) *queue {
	return &queue{kick: make(chan struct{}, 1), limit: limit}
}

// put adds one record that keeps about size bytes alive.
func (q *queue) put(rec any, size int64) {
	q.mu.Lock()
	if q.closed || q.bytes+size > q.limit {
		q.lost++
		q.mu.Unlock()
		return
	}
	q.items = append(q.items, rec)
	q.bytes += size
	wake := q.bytes >= urgent
	q.mu.Unlock()
	if wake {
		q.wake()
	}
}

func (q *queue) wake() {
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// take swaps the waiting records for an empty list and tells their size, which counts until release.
func (q *queue) take(empty []any) (items []any, size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, empty[:0]
	return items, q.bytes
}

func (q *queue) release(size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= size
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// state returns the bytes held and the records that did not fit.
func (q *queue) state() (bytes, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes, q.lost
}
