package pattern

import (
	"unicode"
	"unicode/utf8"
)

// Size is the number of the expression's instructions. A match takes at most about twice that many steps for each byte.
func (c *Pattern) Size() int { return len(c.code) }

// Match reports whether the expression matches anywhere in a text. Each step is taken from left; below 0 the error is ErrSteps.
func (c *Pattern) Match(text string, left *int) (bool, error) {
	c.now = c.now[:0]
	before := rune(-1)
	for at := 0; ; {
		r, n := rune(-1), 0
		if at < len(text) {
			r, n = utf8.DecodeRuneInString(text[at:])
		}
		c.round++
		waiting := c.now
		c.now, c.then = c.then[:0], waiting[:0]
		for _, place := range waiting { // what took the character before; each goes on
			if c.follow(place, before, r, left) {
				return true, nil
			}
		}
		if c.follow(0, before, r, left) { // a match may begin anywhere
			return true, nil
		}
		if *left -= len(c.now) + 1; *left < 0 {
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
func (c *Pattern) follow(place int, before, after rune, left *int) bool {
	for {
		if c.mark[place] == c.round {
			return false
		}
		c.mark[place] = c.round
		*left--
		switch i := &c.code[place]; i.kind {
		case repeat:
			return true
		case class:
			c.now = append(c.now, place)
			return false
		case either:
			if c.follow(i.x, before, after, left) {
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
	word := set{ranges: words}
	return word.has(r)
}
