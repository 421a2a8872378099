package pattern

// mostWork bounds the steps of one match, as the product of the lengths of program and text.
const mostWork = 10_000_000

// Match reports whether the pattern is found anywhere in text. done is false where that would be too much work.
func (p *Pattern) Match(text string) (found, done bool) {
	if len(p.program)*(len(text)+1) > mostWork {
		return false, false
	}
	m := &matcher{program: p.program, mark: make([]int, len(p.program))}
	var before rune = -1
	round := 0
	for _, r := range text {
		round++
		if m.enter(round, before, r) {
			return true, true
		}
		m.advance(r)
		before = r
	}
	return m.enter(round+1, before, -1), true
}

// matcher goes through a text with all ways to match at once.
type matcher struct {
	program []step
	mark    []int // the round in which a step was last entered
	now     []int // steps that take a character, of this round
	pending []int // steps that were reached by the character before
	stack   []int
}

// enter follows all steps that take no character, those from the start included; true is a match.
func (m *matcher) enter(round int, before, after rune) bool {
	m.now = m.now[:0]
	for _, at := range m.pending {
		if m.follow(at, round, before, after) {
			return true
		}
	}
	return m.follow(0, round, before, after)
}

func (m *matcher) follow(at, round int, before, after rune) bool {
	m.stack = append(m.stack[:0], at)
	for len(m.stack) > 0 {
		at := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.mark[at] == round {
			continue
		}
		m.mark[at] = round
		switch s := &m.program[at]; s.kind {
		case set:
			m.now = append(m.now, at)
		case split:
			m.stack = append(m.stack, s.y, s.x)
		case jump:
			m.stack = append(m.stack, s.x)
		case match:
			return true
		default:
			if holds(s.kind, before, after) {
				m.stack = append(m.stack, at+1)
			}
		}
	}
	return false
}

// holds checks a place between two characters; -1 is none.
func holds(k kind, before, after rune) bool {
	switch k {
	case begin:
		return before < 0
	case end:
		return after < 0
	default:
		word := class{ranges: words}
		return (word.has(before) != word.has(after)) == (k == border)
	}
}

// advance takes one character.
func (m *matcher) advance(r rune) {
	m.pending = m.pending[:0]
	for _, at := range m.now {
		if m.program[at].set.has(r) {
			m.pending = append(m.pending, at+1)
		}
	}
}
