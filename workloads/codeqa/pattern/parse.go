package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds parentheses inside of parentheses.
const maxNesting = 50

type kind uint8

const (
	empty kind = iota
	class      // one character of a set
	begin      // of the line
	end
	border // of a word
	inside // no border
	concat
	either
	repeat
)

// node is a part of an expression.
type node struct {
	kind     kind
	set      set
	parts    []*node
	min, max int // of repeat; max -1: any number
}

// set is a set of characters as pairs of first and last.
type set struct {
	ranges []rune
	not    bool
}

func (s *set) has(r rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= r && r <= s.ranges[i+1] {
			return !s.not
		}
	}
	return s.not
}

func single(r rune) *node { return &node{kind: class, set: set{ranges: []rune{r, r}}} }

var errUnfinished = errors.New("it ends too early")

type parser struct {
	text string
	deep int
}

// next takes a character; ok is false at the end.
func (p *parser) next() (r rune, ok bool) {
	if p.text == "" {
		return 0, false
	}
	r, n := utf8.DecodeRuneInString(p.text)
	p.text = p.text[n:]
	return r, true
}

func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.text, prefix)
	p.text = rest
	return ok
}

// alternatives reads up to the end or an unmatched closing parenthesis.
func (p *parser) alternatives() (*node, error) {
	var list []*node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.take("|") {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return &node{kind: either, parts: list}, nil
}

func (p *parser) sequence() (*node, error) {
	n := &node{kind: concat}
	for p.text != "" && p.text[0] != '|' && p.text[0] != ')' {
		part, err := p.atom()
		if err != nil {
			return nil, err
		}
		if part, err = p.repetition(part); err != nil {
			return nil, err
		}
		n.parts = append(n.parts, part)
	}
	return n, nil
}

func (p *parser) atom() (*node, error) {
	r, _ := p.next()
	switch r {
	case '.':
		return &node{kind: class, set: set{not: true}}, nil
	case '^':
		return &node{kind: begin}, nil
	case '$':
		return &node{kind: end}, nil
	case '(':
		return p.parenthesis()
	case '[':
		return p.brackets()
	case '\\':
		return p.escape()
	case '*', '+', '?':
		return nil, fmt.Errorf("there is nothing to repeat before %c", r)
	}
	return single(r), nil
}

func (p *parser) parenthesis() (*node, error) {
	if p.take("?:"); strings.HasPrefix(p.text, "?") {
		return nil, errors.New("(? is taken as (?: only, and as (?i) at the beginning")
	}
	if p.deep++; p.deep > maxNesting {
		return nil, errors.New("its parentheses are nested too deep")
	}
	n, err := p.alternatives()
	p.deep--
	if err == nil && !p.take(")") {
		err = errors.New("a ) is missing")
	}
	return n, err
}

// repetition reads what may follow an atom; several stack.
func (p *parser) repetition(part *node) (*node, error) {
	for stacked := 0; ; stacked++ {
		n := &node{kind: repeat, parts: []*node{part}, max: -1}
		switch {
		case p.take("*"):
		case p.take("+"):
			n.min = 1
		case p.take("?"):
			n.max = 1
		default:
			rest, ok := counts(p.text, n)
			if !ok {
				return part, nil
			}
			p.text = rest
			if n.max >= 0 && n.max < n.min {
				return nil, fmt.Errorf("a count from %d to %d", n.min, n.max)
			}
		}
		if stacked == maxNesting {
			return nil, errors.New("it repeats repetitions too often")
		}
		p.take("?")
		part = n
	}
}

// counts reads {m}, {m,} or {m,n}; a brace that begins nothing of these is a brace.
func counts(text string, n *node) (rest string, ok bool) {
	inner, rest, ok := strings.Cut(text, "}")
	if !ok || !strings.HasPrefix(inner, "{") {
		return "", false
	}
	least, most, two := strings.Cut(inner[1:], ",")
	n.min, ok = digits(least)
	switch {
	case !two:
		n.max = n.min
	case most != "" && ok:
		n.max, ok = digits(most)
	}
	return rest, ok
}

// digits reads up to four digits.
func digits(text string) (n int, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' || len(text) > 4 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, text != ""
}

func (p *parser) brackets() (*node, error) {
	n := &node{kind: class}
	n.set.not = p.take("^")
	for first := true; ; first = false {
		if strings.HasPrefix(p.text, "[:") {
			return nil, errors.New("classes such as [:alpha:] are not taken")
		}
		low, ok := p.next()
		if !ok {
			return nil, errors.New("a ] is missing")
		}
		if low == ']' && !first {
			return n, nil
		}
		if low == '\\' {
			e, err := p.escape()
			if err != nil {
				return nil, err
			}
			if e.kind != class || e.set.not {
				return nil, errors.New("\\b, \\B, \\D, \\W and \\S are not taken inside of [ ]")
			}
			if len(e.set.ranges) > 2 || e.set.ranges[0] != e.set.ranges[1] {
				n.set.ranges = append(n.set.ranges, e.set.ranges...)
				continue
			}
			low = e.set.ranges[0]
		}
		high := low
		if len(p.text) > 1 && p.text[0] == '-' && p.text[1] != ']' {
			p.take("-")
			if high, _ = p.next(); high == '\\' {
				if high, ok = p.next(); !ok {
					return nil, errUnfinished
				}
			}
			if high < low {
				return nil, fmt.Errorf("a range from %c to %c", low, high)
			}
		}
		n.set.ranges = append(n.set.ranges, low, high)
	}
}

func (p *parser) escape() (*node, error) {
	r, ok := p.next()
	if !ok {
		return nil, errUnfinished
	}
	n := &node{kind: class, set: set{not: r == 'D' || r == 'W' || r == 'S'}}
	switch r {
	case 'd', 'D':
		n.set.ranges = []rune("09")
	case 'w', 'W':
		n.set.ranges = []rune("09AZ__az")
	case 's', 'S':
		n.set.ranges = []rune("\t\r  ")
	case 'b':
		n.kind = border
	case 'B':
		n.kind = inside
	case 't':
		return single('\t'), nil
	default:
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return nil, fmt.Errorf("\\%c is not taken", r)
		}
		return single(r), nil
	}
	return n, nil
}
