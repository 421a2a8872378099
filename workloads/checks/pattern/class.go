package pattern

import (
	"strconv"
	"strings"
	"unicode"
)

// escaped reads what stands behind a backslash.
func (p *parser) escaped() class {
	switch r := p.next(); r {
	case 'd', 'D':
		return class{digits, r == 'D'}
	case 'w', 'W':
		return class{words, r == 'W'}
	case 's', 'S':
		return class{blanks, r == 'S'}
	default:
		one := p.character(r)
		return class{ranges: []rune{one, one}}
	}
}

// character is the one that a letter behind a backslash stands for.
func (p *parser) character(r rune) rune {
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	case 'v':
		return '\v'
	case '0':
		return 0
	case 'x':
		return p.hex(2)
	case 'u':
		return p.hex(4)
	}
	if r == '_' || r >= '1' && r <= '9' || unicode.IsLetter(r) {
		p.bad = true // a reference back, a property, or nothing known
	}
	return r
}

func (p *parser) hex(n int) rune {
	if len(p.rest) < n {
		p.bad = true
		return 0
	}
	v, err := strconv.ParseUint(p.rest[:n], 16, 32)
	p.rest = p.rest[n:]
	if err != nil || v >= 0xD800 && v < 0xE000 {
		p.bad = true
	}
	return rune(v)
}

// brackets reads a class behind its opening bracket.
func (p *parser) brackets() class {
	c := class{not: p.take("^")}
	for !p.take("]") {
		low, several := p.member()
		if p.bad {
			return c
		}
		if several != nil {
			c.ranges = append(c.ranges, several...)
			continue
		}
		high := low
		if strings.HasPrefix(p.rest, "-") && !strings.HasPrefix(p.rest, "-]") {
			p.take("-")
			high, several = p.member()
			p.bad = p.bad || several != nil || high < low
		}
		c.ranges = append(c.ranges, low, high)
	}
	return c
}

// member reads one character of a class, or several that a letter stands for.
func (p *parser) member() (one rune, several []rune) {
	if !p.take(`\`) {
		return p.next(), nil
	}
	if p.take("b") {
		return '\b', nil
	}
	if p.take("-") {
		return '-', nil
	}
	c := p.escaped()
	if c.not {
		return 0, others(c.ranges)
	}
	if len(c.ranges) == 2 && c.ranges[0] == c.ranges[1] {
		return c.ranges[0], nil
	}
	return 0, c.ranges
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
