package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Dialect says which signs mean what.
type Dialect uint8

// Dialects.
const (
	Lines  Dialect = iota // a search in files, line by line
	Schema                // ECMA-262, as in JSON Schemas
)

// bounds of one dialect.
type bounds struct {
	nesting, repeat, program int // groups within groups, times of one repetition, instructions
}

func (d Dialect) bounds() bounds {
	if d == Schema {
		return bounds{nesting: 100, repeat: 1000, program: 4000}
	}
	return bounds{nesting: 50, repeat: 9999, program: 1000}
}

// maxStacked bounds repetitions of repetitions.
const maxStacked = 50

type kind uint8

const (
	empty kind = iota
	class      // one character of a set
	begin      // of the text
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
	dialect Dialect
	bounds
	text string
	deep int
}

func (p *parser) schema() bool { return p.dialect == Schema }

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
		return &node{kind: class, set: p.dot()}, nil
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
	case '{', '}', ']':
		if p.schema() {
			return nil, fmt.Errorf("%c stands alone", r)
		}
	}
	return single(r), nil
}

func (p *parser) parenthesis() (*node, error) {
	if p.take("?:"); strings.HasPrefix(p.text, "?") {
		return nil, errors.New("(? is taken as (?: only, and as (?i) at the beginning")
	}
	if p.deep++; p.deep > p.nesting {
		return nil, errors.New("its parentheses are nested too deep")
	}
	n, err := p.alternatives()
	p.deep--
	if err == nil && !p.take(")") {
		err = errors.New("a ) is missing")
	}
	return n, err
}

// repetition reads what may follow an atom. In Lines several stack; in Schema there is one, and a place cannot be repeated.
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
		switch {
		case p.schema() && stacked > 0, stacked == maxStacked:
			return nil, errors.New("it repeats repetitions too often")
		case p.schema() && part.kind >= begin && part.kind <= inside:
			return nil, errors.New("it repeats a place")
		case max(n.min, n.max) > p.repeat:
			return nil, fmt.Errorf("a count of more than %d", p.repeat)
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
