package pattern

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled pattern. It may be used by one goroutine at a time.
type Pattern struct {
	program []step
}

// ErrUnsupported says that a pattern is none, or uses what this package has not.
var ErrUnsupported = errors.New("pattern is not supported")

const (
	mostSteps  = 4000 // of a program
	mostRepeat = 1000 // of one repetition
	deepest    = 100  // groups within groups
)

type kind uint8

const (
	set   kind = iota // takes one character of the set
	split             // goes on at both x and y
	jump              // goes on at x
	begin             // is true at the start
	end
	border
	noBorder
	match
)

type step struct {
	kind kind
	x, y int
	set  class
}

// class is a set of characters: ranges of two each, or all others.
type class struct {
	ranges []rune
	not    bool
}

func (c *class) has(r rune) bool {
	for i := 0; i < len(c.ranges); i += 2 {
		if c.ranges[i] <= r && r <= c.ranges[i+1] {
			return !c.not
		}
	}
	return c.not
}

// Classes that a letter behind a backslash stands for, as ECMA-262 has them.
var (
	digits = []rune{'0', '9'}
	words  = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	blanks = []rune{'\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F, 0x205F,
		0x3000, 0x3000, 0xFEFF, 0xFEFF}
	breaks = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
)

// Compile reads a pattern; the error is ErrUnsupported.
func Compile(text string) (*Pattern, error) {
	if !utf8.ValidString(text) {
		return nil, ErrUnsupported
	}
	p := &parser{rest: text}
	p.alternatives(0)
	if p.bad || p.rest != "" {
		return nil, ErrUnsupported
	}
	p.emit(step{kind: match})
	if p.bad {
		return nil, ErrUnsupported
	}
	return &Pattern{program: p.program}, nil
}

type parser struct {
	rest    string
	program []step
	bad     bool
}

func (p *parser) emit(s step) int {
	if p.program = append(p.program, s); len(p.program) > mostSteps {
		p.bad = true
	}
	return len(p.program) - 1
}

func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	if n == 0 {
		p.bad = true
	}
	p.rest = p.rest[n:]
	return r
}

// alternatives reads a|b|c.
func (p *parser) alternatives(depth int) {
	if depth > deepest {
		p.bad = true
		return
	}
	var ends []int
	for {
		from := len(p.program)
		p.sequence(depth)
		if p.bad || !p.take("|") {
			break
		}
		p.wrap(from, step{kind: split, x: from + 1})
		ends = append(ends, p.emit(step{kind: jump}))
		p.program[from].y = len(p.program)
	}
	for _, i := range ends {
		p.program[i].x = len(p.program)
	}
}

// wrap puts a step in front of those from there on.
func (p *parser) wrap(from int, s step) {
	p.emit(step{})
	copy(p.program[from+1:], p.program[from:])
	p.program[from] = s
	for i := from + 1; i < len(p.program); i++ {
		shift(&p.program[i], from, 1)
	}
}

// shift moves targets from there on.
func shift(s *step, from, by int) {
	if (s.kind == split || s.kind == jump) && s.x >= from {
		s.x += by
	}
	if s.kind == split && s.y >= from {
		s.y += by
	}
}

func (p *parser) sequence(depth int) {
	for !p.bad && p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		from := len(p.program)
		repeatable := p.atom(depth)
		if p.bad {
			return
		}
		least, most, ok := p.repetition()
		switch {
		case !ok:
		case !repeatable:
			p.bad = true
		default:
			p.repeat(from, least, most)
		}
	}
}

func (p *parser) atom(depth int) (repeatable bool) {
	switch {
	case p.take("^"):
		p.emit(step{kind: begin})
		return false
	case p.take("$"):
		p.emit(step{kind: end})
		return false
	case p.take(`\b`):
		p.emit(step{kind: border})
		return false
	case p.take(`\B`):
		p.emit(step{kind: noBorder})
		return false
	case p.take("("):
		if strings.HasPrefix(p.rest, "?") && !p.take("?:") {
			p.bad = true
			return false
		}
		p.alternatives(depth + 1)
		p.bad = p.bad || !p.take(")")
	case p.take("["):
		p.emit(step{set: p.brackets()})
	case p.take("."):
		p.emit(step{set: class{breaks, true}})
	case p.take(`\`):
		p.emit(step{set: p.escaped()})
	default:
		r := p.next()
		p.bad = p.bad || strings.ContainsRune("*+?{}])", r)
		p.emit(step{set: class{ranges: []rune{r, r}}})
	}
	return true
}

// repetition reads how often the atom before it may stand; most below 0 is no bound.
func (p *parser) repetition() (least, most int, ok bool) {
	switch {
	case p.take("*"):
		least, most = 0, -1
	case p.take("+"):
		least, most = 1, -1
	case p.take("?"):
		least, most = 0, 1
	case p.take("{"):
		body, rest, closed := strings.Cut(p.rest, "}")
		p.rest = rest
		low, high, ranged := strings.Cut(body, ",")
		var errLow, errHigh error
		least, errLow = strconv.Atoi(low)
		switch {
		case !ranged:
			most = least
		case high == "":
			most = -1
		default:
			most, errHigh = strconv.Atoi(high)
		}
		if !closed || errLow != nil || errHigh != nil || least < 0 || max(least, most) > mostRepeat || most >= 0 && most < least {
			p.bad = true
		}
	default:
		return 0, 0, false
	}
	p.take("?") // a lazy one matches the same texts
	return least, most, true
}

// repeat writes the steps of an atom as often as they may stand.
func (p *parser) repeat(from, least, most int) {
	atom := append([]step(nil), p.program[from:]...)
	p.program = p.program[:from]
	again := func() int {
		at := len(p.program)
		for _, s := range atom {
			if p.bad {
				return at
			}
			shift(&s, from, at-from)
			p.emit(s)
		}
		return at
	}
	for range least {
		again()
	}
	if most < 0 {
		loop := p.emit(step{kind: split})
		p.program[loop].x = loop + 1
		again()
		p.emit(step{kind: jump, x: loop})
		p.program[loop].y = len(p.program)
		return
	}
	var skips []int
	for range most - least {
		if p.bad {
			return
		}
		i := p.emit(step{kind: split})
		p.program[i].x = i + 1
		skips = append(skips, i)
		again()
	}
	for _, i := range skips {
		p.program[i].y = len(p.program)
	}
}
