package sim

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// sequence is one request inside the engine. Fields without a note belong to the
// engine's lock once it was submitted.
type sequence struct {
	prompt int      // tokens, fixed
	length int      // tokens of the answer, fixed
	hashes []uint64 // of the whole blocks of prompt and answer, fixed

	total    int // tokens known: prompt and what was generated
	computed int // of these, how many are in the KV cache
	step     int // tokens that the running step computes
	blocks   []*block
	learned  int  // blocks already made findable
	started  bool // was admitted once
	gone     bool // nobody waits for it any more

	cached atomic.Int64  // tokens found in the prefix cache at the first start
	ready  atomic.Int64  // tokens generated; with done it is final
	done   atomic.Bool   // no more tokens will come
	notify chan struct{} // has an element when ready or done changed
}

func newSequence(tokens *chain, prompt, length int) *sequence {
	return &sequence{
		prompt: prompt, length: length, hashes: tokens.blocks,
		total: prompt, notify: make(chan struct{}, 1),
	}
}

func (s *sequence) decoding() bool { return s.total > s.prompt && s.computed == s.total-1 }

func (s *sequence) tell() {
	select {
	case s.notify <- struct{}{}:
	default:
	}
}

// engine batches sequences. plan and apply are pure decisions on its state; run
// puts time between them.
type engine struct {
	config Config

	mu      sync.Mutex
	kv      *kvCache
	waiting []*sequence
	running []*sequence // in order of start
	// blocked found no room when the cache had changed so often: until it changes again, it finds none.
	blocked   *sequence
	blockedAt int
	stats     Stats
	// accepted counts the accepted tokens of drafts by their place
	accepted []int64
	wake     chan struct{}
}

func newEngine(c Config) *engine {
	return &engine{
		config: c,
		kv:     newKVCache(c.KVTokens/c.BlockTokens, c.NoPrefixCache),
		wake:   make(chan struct{}, 1),

		accepted: make([]int64, c.DraftTokens),
	}
}

// submit queues s.
func (e *engine) submit(s *sequence) {
	e.mu.Lock()
	e.waiting = append(e.waiting, s)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// cancel tells that nobody waits for s; its blocks are free from the next step on.
func (e *engine) cancel(s *sequence) {
	e.mu.Lock()
	s.gone = true
	e.mu.Unlock()
}

// lateness is how far behind its own schedule the loop catches up; if the
// machine was busier than that, the lost time is lost, as a real engine's is.
const lateness = 50 * time.Millisecond

// run is the loop of steps until ctx ends.
func (e *engine) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	end := time.Now() // of the latest step, by the schedule
	for ctx.Err() == nil {
		e.mu.Lock()
		w, busy := e.plan()
		e.mu.Unlock()
		if !busy {
			select {
			case <-e.wake:
			case <-ctx.Done():
			}
			end = time.Now()
			continue
		}
		if now := time.Now(); now.Sub(end) > lateness {
			end = now
		}
		end = end.Add(time.Duration(float64(e.config.Cost.step(w)) * e.config.TimeScale))
		timer.Reset(time.Until(end))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		e.mu.Lock()
		e.apply()
		e.mu.Unlock()
	}
}

// plan chooses the work of the next step; busy is false if there is none.
func (e *engine) plan() (w work, busy bool) {
	e.drop()
	room := e.config.StepTokens
	preempted := false
	for i := 0; i < len(e.running); i++ {
		s := e.running[i]
		n := min(s.total-s.computed, max(room, 0)) // a chunk of several tokens may overdraw
		for n > 0 && !e.grow(s, s.computed+n) {
			preempted = true
			if e.preemptLast() == s {
				n = 0
			}
		}
		room -= e.schedule(s, n, &w)
	}
	for !preempted && room > 0 && len(e.waiting) > 0 && len(e.running) < e.config.MaxBatch {
		s := e.waiting[0]
		if !e.start(s) {
			break
		}
		e.waiting = e.waiting[1:]
		e.running = append(e.running, s)
		room -= e.schedule(s, min(s.total-s.computed, room), &w)
	}
	e.stats.Running, e.stats.Waiting = len(e.running), len(e.waiting)
	return w, w.prefill+w.decoding > 0
}

// schedule gives s n tokens of the step and returns what that takes of its room.
func (e *engine) schedule(s *sequence, n int, w *work) int {
	s.step = n
	switch {
	case n == 0:
	case s.decoding():
		w.decoding++
		w.context += s.total
		return min(e.config.TokensPerChunk, s.length-(s.total-s.prompt))
	default:
		w.prefill += n
		w.pairs += n * (2*s.computed + n) / 2
	}
	return n
}

// start reserves the blocks of a waiting sequence, shared ones first.
func (e *engine) start(s *sequence) bool {
	if s == e.blocked && e.kv.changes == e.blockedAt {
		return false
	}
	size := e.config.BlockTokens
	held := e.kv.match(s.hashes[:min((s.total-1)/size, len(s.hashes))])
	blocks, ok := e.kv.take(held, (s.total+size-1)/size-len(held))
	if !ok {
		e.kv.release(held)
		e.blocked, e.blockedAt = s, e.kv.changes
		return false
	}
	s.blocks, s.learned = blocks, len(held)
	s.computed = len(held) * size
	if !s.started {
		s.started = true
		s.cached.Store(int64(s.computed))
		e.stats.PrefixQueries += int64(s.prompt)
		e.stats.PrefixHits += int64(s.computed)
	}
	return true
}

// grow makes room for the first n tokens of s.
func (e *engine) grow(s *sequence, n int) bool {
	missing := (n+e.config.BlockTokens-1)/e.config.BlockTokens - len(s.blocks)
	if missing <= 0 {
		return true
	}
	var ok bool
	s.blocks, ok = e.kv.take(s.blocks, missing)
	return ok
}

func (e *engine) preemptLast() *sequence {
	last := len(e.running) - 1
	s := e.running[last]
	e.running = e.running[:last]
	e.free(s)
	s.computed = 0
	e.waiting = slices.Insert(e.waiting, 0, s)
	e.stats.Preemptions++
	return s
}

func (e *engine) free(s *sequence) {
	e.kv.release(s.blocks)
	s.blocks, s.learned, s.step = nil, 0, 0
}

// drop forgets sequences that nobody waits for.
func (e *engine) drop() {
	gone := func(s *sequence) bool {
		if s.gone {
			e.free(s)
		}
		return s.gone
	}
	e.running = slices.DeleteFunc(e.running, gone)
	e.waiting = slices.DeleteFunc(e.waiting, gone)
}

// apply books the step that plan chose.
func (e *engine) apply() {
	e.stats.Steps++
	e.running = slices.DeleteFunc(e.running, func(s *sequence) bool {
		e.advance(s)
		finished := s.done.Load()
		if finished {
			e.free(s)
			e.stats.Finished++
		}
		return finished
	})
	e.stats.Running = len(e.running)
}

func (e *engine) advance(s *sequence) {
	if s.step == 0 {
		return
	}
	tokens, drafted := 1, false
	if s.decoding() {
		drafted = e.config.DraftTokens > 0
		tokens = e.config.TokensPerChunk
	} else {
		e.stats.PrefillTokens += int64(s.step)
	}
	s.computed += s.step
	s.step = 0
	for whole := min(s.computed/e.config.BlockTokens, len(s.hashes)); s.learned < whole; s.learned++ {
		e.kv.learn(s.blocks[s.learned], s.hashes[s.learned])
	}
	if s.computed < s.total {
		return
	}
	tokens = min(tokens, s.length-(s.total-s.prompt))
	s.total += tokens
	s.computed = s.total - 1
	e.stats.GenerationTokens += int64(tokens)
	if drafted {
		e.stats.Drafts++
		for i := range tokens - 1 {
			e.accepted[i]++
		}
	}
	s.ready.Add(int64(tokens))
	if s.total-s.prompt == s.length {
		s.done.Store(true)
	}
	s.tell()
}
