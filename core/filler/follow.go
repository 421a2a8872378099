package filler

import (
	"sync"

	"paceline/core/trajectory"
)

// The methods of this file are for live text histories that are calibrated: what follows a turn makes up for what came
// otherwise than it was planned.

// Told sets the script right by how many tokens the target counted in the request and in the answer of the turn that was made
// last in its branch. The answer is taken for as many tokens as answers before it came to when they were sent back, which the
// count of this request tells of the one before.
func (s *Script) Told(t *trajectory.Turn, prompt, answer uint64) {
	l := s.lines[t.Branch]
	told := int64(min(prompt, maxPrompt)) * micro
	if l.wrote > 0 && !l.blind {
		s.c.returned.learn(l.wrote, told-(l.sent-l.newest))
	}
	l.wrote, l.blind = int64(min(answer, maxPrompt)), false
	l.newest = l.wrote * s.c.returned.rate()
	l.micro = told + l.newest
	s.after[t.Index] = *l
}

// Counted says how many tokens the answer has that was told last of the turn's branch, as the target's tokenizer counts its
// text.
func (s *Script) Counted(t *trajectory.Turn, tokens uint64) {
	l := s.lines[t.Branch]
	counted := int64(min(tokens, maxPrompt)) * micro
	l.micro, l.newest = l.micro+counted-l.newest, counted
	s.after[t.Index] = *l
}

// Basis is for how many millionths of tokens the history before a turn is taken that has not been made yet.
func (s *Script) Basis(t *trajectory.Turn) int64 { return s.line(t).micro }

// Follow has a turn made by the basis that it was made by before.
func (s *Script) Follow(t *trajectory.Turn, basis int64) { s.line(t).micro = basis }

// returns learns how many tokens the generated ones come to when they are sent back, over all conversations of a run.
type returns struct {
	mu          sync.Mutex
	wrote, back int64 // tokens, and millionths of tokens
}

// newReturns begins with what the calibration found.
func newReturns(l *Lengths) *returns {
	return &returns{wrote: answerTokens, back: answerTokens * l.answer()}
}

// learn takes in one answer. What is not plausible is something else than the answer's doing.
func (r *returns) learn(wrote, back int64) {
	if back < wrote*leastWord || back > wrote*mostWord {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote, r.back = r.wrote+wrote, r.back+back
	for r.wrote > maxLearned { // what is old counts less
		r.wrote, r.back = r.wrote/2, r.back/2
	}
}

// maxLearned bounds what an expectation rests on, in tokens.
const maxLearned = 1 << 20

// rate is how many millionths of a token a generated one is expected to come to.
func (r *returns) rate() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.back / r.wrote
}
