package literal

import "slices"

// match is where a pattern and its groups matched: begin and end of each, -1 where a group took no part.
type match [6]int

func (m *match) group(runes []rune, n int) (string, bool) {
	if m[2*n] < 0 || m[2*n+1] < 0 {
		return "", false
	}
	return string(runes[m[2*n]:m[2*n+1]]), true
}

// search runs one pattern over one text.
type search struct {
	*pattern
	runes []rune
	tried []uint64 // by position, one bit for each step
	far   int      // the furthest position with a bit
	stack []task
	slots match
}

// task is a step to try at a position, or a slot to set back.
type task struct {
	step, at   int
	slot, keep int // slot above 0: set it back to keep
}

func (p *pattern) over(runes []rune) *search {
	return &search{pattern: p, runes: runes, tried: make([]uint64, len(runes)+1)}
}

// at matches at one position only.
func (p *pattern) at(runes []rune, from int) (match, bool) { return p.over(runes).run(from) }

// find gives the first match.
func (p *pattern) find(runes []rune) (match, bool) { return p.over(runes).next(0) }

// all gives the matches one after another. None of the patterns matches nothing.
func (p *pattern) all(runes []rune) []match {
	s := p.over(runes)
	var out []match
	for from := 0; ; {
		m, ok := s.next(from)
		if !ok {
			return out
		}
		out = append(out, m)
		from = max(m[1], m[0]+1)
		clear(s.tried[m[0] : s.far+1]) // what was tried on the way to a match may be good again
		s.far = from
	}
}

func (s *search) next(from int) (match, bool) {
	for ; from <= len(s.runes); from++ {
		if m, ok := s.run(from); ok {
			return m, true
		}
	}
	return match{}, false
}

// run tries all ways from a position in the order of Python's preference. A step that failed at a position is not tried
// there again, from whatever beginning.
func (s *search) run(from int) (match, bool) {
	s.slots = match{from, 0, -1, -1, -1, -1}
	s.stack = append(s.stack[:0], task{step: s.start, at: from})
	for len(s.stack) > 0 {
		t := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if t.slot > 0 {
			s.slots[t.slot] = t.keep
			continue
		}
		if end, ok := s.follow(t.step, t.at); ok {
			s.slots[1] = end
			return s.slots, true
		}
	}
	return match{}, false
}

// follow goes from step to step until one fails or the pattern is done; other ways go onto the stack.
func (s *search) follow(at, pos int) (int, bool) {
	for {
		bit := uint64(1) << at
		if s.tried[pos]&bit != 0 {
			return 0, false
		}
		s.tried[pos] |= bit
		s.far = max(s.far, pos)
		i := &s.steps[at]
		switch i.op {
		case opMatch:
			return pos, true
		case opText:
			if len(s.runes)-pos < len(i.text) || !slices.Equal(s.runes[pos:pos+len(i.text)], i.text) {
				return 0, false
			}
			pos += len(i.text)
		case opClass:
			if pos == len(s.runes) || !i.class(s.runes[pos]) {
				return 0, false
			}
			pos++
		case opWord:
			if s.wordAt(pos-1) == s.wordAt(pos) {
				return 0, false
			}
		case opMark:
			s.stack = append(s.stack, task{slot: i.slot, keep: s.slots[i.slot]})
			s.slots[i.slot] = pos
		case opSplit:
			s.stack = append(s.stack, task{step: i.next, at: pos})
			at = i.first
			continue
		}
		at = i.next
	}
}

func (s *search) wordAt(pos int) bool { return pos >= 0 && pos < len(s.runes) && inWord(s.runes[pos]) }
