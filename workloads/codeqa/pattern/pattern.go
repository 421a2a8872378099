package pattern

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxProgram bounds the instructions of an expression; counts are written out.
const maxProgram = 1000

// Pattern is a compiled expression. It is used from one goroutine.
type Pattern struct {
	code []instruction
	fold bool

	now, then []int // places in code that wait for the next character; never the same memory
	mark      []int // by place: the last round that visited it
	round     int
	taken     int // steps of all matching so far
}

type instruction struct {
	kind kind // class, begin, end, border, inside; either: goes on at both; empty: goes on at x; repeat: matched
	set  *set
	x, y int
}

// ErrSteps is what Match gives when the budget is used up.
var ErrSteps = errors.New("it takes too many steps")

// Compile reads an expression. With fold, upper and lower case are the same.
func Compile(text string, fold bool) (*Pattern, error) {
	if rest, ok := strings.CutPrefix(text, "(?i)"); ok {
		text, fold = rest, true
	}
	p := &parser{text: text}
	root, err := p.alternatives()
	if err == nil && p.text != "" {
		err = errors.New("a ( is missing")
	}
	if err != nil {
		return nil, err
	}
	c := &Pattern{fold: fold}
	if err := c.emit(root); err != nil {
		return nil, err
	}
	c.code = append(c.code, instruction{kind: repeat})
	c.mark = make([]int, len(c.code))
	return c, nil
}

func (c *Pattern) add(i instruction) int {
	c.code = append(c.code, i)
	return len(c.code) - 1
}

// emit writes the instructions of a part; those that go on go to what is written next.
func (c *Pattern) emit(n *node) error {
	if len(c.code) > maxProgram {
		return errors.New("it is too large")
	}
	switch n.kind {
	case concat:
		for _, part := range n.parts {
			if err := c.emit(part); err != nil {
				return err
			}
		}
	case either:
		return c.emitEither(n.parts)
	case repeat:
		return c.emitRepeat(n)
	default:
		c.add(instruction{kind: n.kind, set: &n.set})
	}
	return nil
}

func (c *Pattern) emitEither(parts []*node) error {
	var ends []int
	for i, part := range parts {
		if i == len(parts)-1 {
			if err := c.emit(part); err != nil {
				return err
			}
			break
		}
		fork := c.add(instruction{kind: either})
		c.code[fork].x = fork + 1
		if err := c.emit(part); err != nil {
			return err
		}
		ends = append(ends, c.add(instruction{kind: empty}))
		c.code[fork].y = len(c.code)
	}
	for _, at := range ends {
		c.code[at].x = len(c.code)
	}
	return nil
}

func (c *Pattern) emitRepeat(n *node) error {
	for range n.min {
		if err := c.emit(n.parts[0]); err != nil {
			return err
		}
	}
	if n.max < 0 {
		fork := c.add(instruction{kind: either})
		c.code[fork].x = fork + 1
		if err := c.emit(n.parts[0]); err != nil {
			return err
		}
		c.add(instruction{kind: empty, x: fork})
		c.code[fork].y = len(c.code)
		return nil
	}
	var forks []int
	for range n.max - n.min {
		fork := c.add(instruction{kind: either})
		c.code[fork].x = fork + 1
		forks = append(forks, fork)
		if err := c.emit(n.parts[0]); err != nil {
			return err
		}
	}
	for _, fork := range forks {
		c.code[fork].y = len(c.code)
	}
	return nil
}

// Match reports whether the expression matches anywhere in a line. All calls together take at most budget steps.
func (c *Pattern) Match(line string, budget int) (bool, error) {
	c.now = c.now[:0]
	before := rune(-1)
	for at := 0; ; {
		r, n := rune(-1), 0
		if at < len(line) {
			r, n = utf8.DecodeRuneInString(line[at:])
		}
		c.round++
		waiting := c.now
		c.now, c.then = c.then[:0], waiting[:0]
		for _, place := range waiting { // what took the character before; each goes on
			if c.follow(place, before, r) {
				return true, nil
			}
		}
		if c.follow(0, before, r) { // a match may begin anywhere
			return true, nil
		}
		c.taken += len(c.now) + 1
		if c.taken > budget {
			return false, ErrSteps
		}
		if n == 0 {
			return false, nil
		}
		for _, place := range c.now {
			if c.takes(c.code[place].set, r) {
				c.then = append(c.then, place+1)
			}
		}
		c.now, c.then = c.then, c.now
		before, at = r, at+n
	}
}

// follow goes on from a place without taking a character, and reports a match. Places that take one are noted.
func (c *Pattern) follow(place int, before, after rune) bool {
	for {
		if c.mark[place] == c.round {
			return false
		}
		c.mark[place] = c.round
		c.taken++
		switch i := &c.code[place]; i.kind {
		case repeat:
			return true
		case class:
			c.now = append(c.now, place)
			return false
		case either:
			if c.follow(i.x, before, after) {
				return true
			}
			place = i.y
			continue
		case empty:
			place = i.x
			continue
		case begin:
			if before >= 0 {
				return false
			}
		case end:
			if after >= 0 {
				return false
			}
		case border, inside:
			if (isWord(before) != isWord(after)) != (i.kind == border) {
				return false
			}
		}
		place++
	}
}

func (c *Pattern) takes(s *set, r rune) bool {
	if !c.fold {
		return s.has(r)
	}
	if s.not { // a character is outside where all its cases are
		return s.has(r) && s.has(unicode.ToLower(r)) && s.has(unicode.ToUpper(r))
	}
	return s.has(r) || s.has(unicode.ToLower(r)) || s.has(unicode.ToUpper(r))
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}
