package record

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"paceline/workloads/import/normal"
)

// Limits of a recording. What passes them is written out early, or counted.
const (
	MaxConversationBytes = 64 << 20
	maxTurns             = 100_000
)

// Summary is what was recorded.
type Summary struct {
	Conversations int            `json:"conversations"`
	Turns         int            `json:"turns"`
	Failed        int            `json:"failed_requests"` // answered by an error, or not whole: no turns
	Other         int            `json:"other_requests"`  // not passed on
	Losses        map[string]int `json:"losses"`
}

// Store makes conversations of calls and writes each of them once it is over. Its methods may be called concurrently.
type Store struct {
	mu      sync.Mutex
	out     io.Writer
	idle    time.Duration
	open    []*conversation
	count   int
	summary Summary
	err     error // of writing; the first one stays
}

// NewStore writes conversations to out; one that has been silent for idle is over, 0: only at the end.
func NewStore(out io.Writer, idle time.Duration) *Store {
	return &Store{out: out, idle: idle, summary: Summary{Losses: map[string]int{}}}
}

// Add takes a call that was answered.
func (s *Store) Add(x *Call) {
	x.messages = fingerprints(x.Request.Messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(x.Sent)
	s.summary.Turns++
	if c := s.find(x); c != nil {
		c.goOn(x)
		if c.bytes > MaxConversationBytes || c.turns >= maxTurns {
			s.close(c)
		}
		return
	}
	s.count++
	c := &conversation{number: s.count, losses: s.summary.Losses}
	c.begin(x)
	s.open = append(s.open, c)
}

// find is the open conversation that the call goes on from: of several the one with the longest history, then the latest.
func (s *Store) find(x *Call) *conversation {
	var best *conversation
	for _, c := range s.open {
		if c.goesOn(x) && (best == nil || len(c.last.messages) >= len(best.last.messages)) {
			best = c
		}
	}
	return best
}

// Fail counts a request that became no turn.
func (s *Store) Fail() {
	s.mu.Lock()
	s.summary.Failed++
	s.mu.Unlock()
}

// Other counts a request that was not passed on.
func (s *Store) Other() {
	s.mu.Lock()
	s.summary.Other++
	s.mu.Unlock()
}

// Progress tells what there is so far.
func (s *Store) Progress() (open, conversations, turns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open), s.count, s.summary.Turns
}

// Close writes what is still open, in the order in which conversations began.
func (s *Store) Close() (Summary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.open, func(a, b *conversation) int { return cmp.Compare(a.number, b.number) })
	for len(s.open) > 0 {
		s.close(s.open[0])
	}
	return s.summary, s.err
}

func (s *Store) expire(now time.Duration) {
	if s.idle <= 0 {
		return
	}
	for _, c := range slices.Clone(s.open) {
		if now-c.last.Done > s.idle {
			s.close(c)
		}
	}
}

// close writes a conversation and forgets it.
func (s *Store) close(c *conversation) {
	s.open = slices.DeleteFunc(s.open, func(o *conversation) bool { return o == c })
	line, err := normal.Append(nil, c.trajectory())
	if err != nil {
		s.summary.Losses["conversations that cannot be written: "+err.Error()]++
		return
	}
	s.summary.Conversations++
	if _, err := s.out.Write(line); err != nil && s.err == nil {
		s.err = fmt.Errorf("write conversation %d: %w", c.number, err)
	}
}
