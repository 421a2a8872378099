package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Sets that a letter behind a backslash stands for, and those of the dot.
var (
	figures     = []rune{'0', '9'}
	words       = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	lineBlanks  = []rune{'\t', '\r', ' ', ' '}
	ecmaBlanks  = []rune{'\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF}
	ecmaBreaks  = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	ecmaSigns   = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'v': '\v', '0': 0}
	errOpposite = errors.New("\\b, \\B, \\D, \\W and \\S are not taken inside of [ ]")
)

func (p *parser) dot() set {
	if p.schema() {
		return set{ranges: ecmaBreaks, not: true}
	}
	return set{not: true}
}

func (p *parser) escape() (*node, error) {
	r, ok := p.next()
	if !ok {
		return nil, errUnfinished
	}
	n := &node{kind: class, set: set{not: r == 'D' || r == 'W' || r == 'S'}}
	switch r {
	case 'd', 'D':
		n.set.ranges = figures
	case 'w', 'W':
		n.set.ranges = words
	case 's', 'S':
		n.set.ranges = lineBlanks
		if p.schema() {
			n.set.ranges = ecmaBlanks
		}
	case 'b':
		n.kind = border
	case 'B':
		n.kind = inside
	default:
		one, err := p.sign(r)
		return single(one), err
	}
	return n, nil
}

// sign is the one character that another one behind a backslash stands for.
func (p *parser) sign(r rune) (rune, error) {
	unknown := fmt.Errorf("\\%c is not taken", r)
	if !p.schema() {
		switch {
		case r == 't':
			return '\t', nil
		case '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z':
			return 0, unknown
		}
		return r, nil
	}
	if one, ok := ecmaSigns[r]; ok {
		return one, nil
	}
	switch {
	case r == 'x':
		return p.hex(2)
	case r == 'u':
		return p.hex(4)
	case r == '_' || r >= '1' && r <= '9' || unicode.IsLetter(r):
		return 0, unknown // a reference back, a property, or nothing known
	}
	return r, nil
}

func (p *parser) hex(n int) (rune, error) {
	if len(p.text) < n {
		return 0, errUnfinished
	}
	v, err := strconv.ParseUint(p.text[:n], 16, 32)
	p.text = p.text[n:]
	if err != nil || v >= 0xD800 && v < 0xE000 {
		return 0, errors.New("\\x and \\u want the number of a character")
	}
	return rune(v), nil
}

// brackets reads a class behind its opening bracket.
func (p *parser) brackets() (*node, error) {
	n := &node{kind: class}
	n.set.not = p.take("^")
	for first := true; ; first = false {
		if p.text == "" {
			return nil, errors.New("a ] is missing")
		}
		if (p.schema() || !first) && p.take("]") {
			return n, nil
		}
		if !p.schema() && strings.HasPrefix(p.text, "[:") {
			return nil, errors.New("classes such as [:alpha:] are not taken")
		}
		low, several, err := p.member()
		if err != nil {
			return nil, err
		}
		if several != nil {
			n.set.ranges = append(n.set.ranges, several...)
			continue
		}
		high := low
		if len(p.text) > 1 && p.text[0] == '-' && p.text[1] != ']' {
			p.take("-")
			if high, err = p.upper(); err != nil {
				return nil, err
			}
			if high < low {
				return nil, fmt.Errorf("a range from %c to %c", low, high)
			}
		}
		n.set.ranges = append(n.set.ranges, low, high)
	}
}

// member reads one character of a class, or several that a letter stands for.
func (p *parser) member() (one rune, several []rune, err error) {
	r, _ := p.next()
	if r != '\\' {
		return r, nil, nil
	}
	if p.schema() && p.take("b") {
		return '\b', nil, nil
	}
	n, err := p.escape()
	switch {
	case err != nil:
		return 0, nil, err
	case n.kind == class && n.set.not && p.schema():
		return 0, others(n.set.ranges), nil
	case n.kind != class || n.set.not:
		return 0, nil, errOpposite
	case len(n.set.ranges) > 2 || n.set.ranges[0] != n.set.ranges[1]:
		return 0, n.set.ranges, nil
	}
	return n.set.ranges[0], nil, nil
}

// upper reads the last character of a range.
func (p *parser) upper() (rune, error) {
	if p.schema() {
		high, several, err := p.member()
		if err == nil && several != nil {
			err = errors.New("a range ends with a class")
		}
		return high, err
	}
	high, _ := p.next()
	if high != '\\' {
		return high, nil
	}
	high, ok := p.next()
	if !ok {
		return 0, errUnfinished
	}
	return high, nil
}

// others are the ranges between sorted ranges.
func others(ranges []rune) []rune {
	var out []rune
	from := rune(0)
	for i := 0; i < len(ranges); i += 2 {
		if from < ranges[i] {
			out = append(out, from, ranges[i]-1)
		}
		from = ranges[i+1] + 1
	}
	return append(out, from, unicode.MaxRune)
}
