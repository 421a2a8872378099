package literal

import (
	"strings"
	"unicode"

	"paceline/workloads/bfcl/python"
)

// pattern is compiled to instructions, at most 64: one bit each in what was tried at a position.
type pattern struct {
	steps []step
	start int
}

// step is one instruction; it goes on at next, a split at first and then at next.
type step struct {
	op          op
	next, first int
	text        []rune          // of a text
	class       func(rune) bool // of a class
	slot        int             // of a mark
}

type op byte

const (
	opMatch op = iota
	opText
	opClass
	opSplit
	opMark // notes the position in a slot
	opWord // between a word's character and none
)

// compile makes a pattern of tokens with blanks between them:
//
//	'text       this text
//	s w . a     white space, a word's character, any but a newline, any, as Python's patterns know them
//	b           a word begins or ends here
//	( x | y )   x, or else y
//	{ x }       x, kept as the next group
//
// Behind a class or a parenthesis stands how often: ? * + as often as it can, *? +? as seldom as it can.
func compile(notation string) *pattern {
	c := &compiler{tokens: strings.Fields(notation), slot: 2}
	p := &c.pattern
	p.steps = []step{{op: opMatch}}
	p.start = p.before(c.choice(), 0)
	if len(p.steps) > 64 {
		panic("literal: a pattern of more than 64 steps: " + notation)
	}
	return p
}

// node is a part of a pattern: a step, or parts under an operator.
type node struct {
	step  step
	how   string // "", ? * + *? +?, or: seq, |, {
	parts []node
}

type compiler struct {
	pattern
	tokens []string
	slot   int // of the next group
}

// choice reads up to a closing sign or the end.
func (c *compiler) choice() node {
	seq := node{how: "seq"}
	for len(c.tokens) > 0 {
		token := c.tokens[0]
		c.tokens = c.tokens[1:]
		switch token[0] {
		case '|':
			return node{how: "|", parts: []node{seq, c.choice()}}
		case ')', '}':
			c.tokens = append([]string{token}, c.tokens...)
			return seq
		}
		seq.parts = append(seq.parts, c.atom(token))
	}
	return seq
}

func (c *compiler) atom(token string) node {
	switch token[0] {
	case '\'':
		return node{step: step{op: opText, text: []rune(token[1:])}}
	case 'b':
		return node{step: step{op: opWord}}
	case '{':
		n := node{how: "{", step: step{op: opMark, slot: c.slot}}
		c.slot += 2
		n.parts = []node{c.choice()}
		c.tokens = c.tokens[1:]
		return n
	case '(':
		inner := c.choice()
		how := c.tokens[0][1:]
		c.tokens = c.tokens[1:]
		return often(inner, how)
	}
	return often(node{step: step{op: opClass, class: classes[token[0]]}}, token[1:])
}

func often(n node, how string) node {
	switch how {
	case "+", "+?":
		return node{how: "seq", parts: []node{n, often(n, "*"+how[1:])}}
	case "":
		return n
	}
	return node{how: how, parts: []node{n}}
}

var classes = map[byte]func(rune) bool{
	's': python.IsSpace, 'w': inWord, '.': func(r rune) bool { return r != '\n' }, 'a': func(rune) bool { return true },
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

func (p *pattern) add(s step) int {
	p.steps = append(p.steps, s)
	return len(p.steps) - 1
}

// before puts a part in front of what follows it, and returns where it begins.
func (p *pattern) before(n node, next int) int {
	switch n.how {
	case "seq":
		for i := len(n.parts) - 1; i >= 0; i-- {
			next = p.before(n.parts[i], next)
		}
		return next
	case "|":
		return p.add(step{op: opSplit, first: p.before(n.parts[0], next), next: p.before(n.parts[1], next)})
	case "{":
		end := p.add(step{op: opMark, slot: n.step.slot + 1, next: next})
		return p.add(step{op: opMark, slot: n.step.slot, next: p.before(n.parts[0], end)})
	case "?":
		return p.add(step{op: opSplit, first: p.before(n.parts[0], next), next: next})
	case "*":
		loop := p.add(step{op: opSplit, next: next})
		p.steps[loop].first = p.before(n.parts[0], loop)
		return loop
	case "*?":
		loop := p.add(step{op: opSplit, first: next})
		p.steps[loop].next = p.before(n.parts[0], loop)
		return loop
	}
	n.step.next = next
	return p.add(n.step)
}
