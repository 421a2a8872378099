package pattern

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled expression. It is used from one goroutine.
type Pattern struct {
	code []instruction
	fold bool
	most int // instructions; counts are written out

	now, then []int // places in code that wait for the next character; never the same memory
	mark      []int // by place: the last round that visited it
	round     int
}

type instruction struct {
	kind kind // class, begin, end, border, inside; either: goes on at both; empty: goes on at x; repeat: matched
	set  *set
	x, y int
}

// ErrSteps is what Match gives when no steps are left.
var ErrSteps = errors.New("it takes too many steps")

// Compile reads an expression. With fold, upper and lower case are the same. The error says in words what is wrong with it.
func Compile(text string, dialect Dialect, fold bool) (*Pattern, error) {
	if dialect == Schema && !utf8.ValidString(text) {
		return nil, errors.New("it is not UTF-8")
	}
	if rest, ok := strings.CutPrefix(text, "(?i)"); ok && dialect == Lines {
		text, fold = rest, true
	}
	p := &parser{text: text, dialect: dialect, bounds: dialect.bounds()}
	root, err := p.alternatives()
	if err == nil && p.text != "" {
		err = errors.New("a ( is missing")
	}
	if err != nil {
		return nil, err
	}
	c := &Pattern{fold: fold, most: p.program}
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
	if len(c.code) > c.most {
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
