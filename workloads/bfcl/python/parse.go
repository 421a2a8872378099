package python

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of what is read. Python gives up near the first, and refuses ints beyond the second.
const (
	MaxDepth  = 900
	MaxDigits = 4300
)

// Parse reads a JSON text as json.loads does: NaN, Infinity and -Infinity are numbers, a key that stands twice keeps its first
// place and its last value, half a surrogate pair is a character.
func Parse(text string) (Value, error) {
	p := parser{text: text}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(p.text) {
		return Value{}, p.fault("the text goes on after its end")
	}
	return v, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) fault(reason string) error { return fmt.Errorf("byte %d: %s", p.at, reason) }

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) skip(word string) bool {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, p.fault("nested too deep")
	}
	switch {
	case p.skip("{"):
		return p.dict(depth + 1)
	case p.skip("["):
		return p.list(depth + 1)
	case p.skip(`"`):
		text, err := p.str()
		return Text(text), err
	case p.skip("null"):
		return Value{Kind: None}, nil
	case p.skip("true"):
		return Truth(true), nil
	case p.skip("false"):
		return Truth(false), nil
	case p.skip("NaN"):
		return float("NaN"), nil
	case p.skip("Infinity"):
		return float("Infinity"), nil
	case p.skip("-Infinity"):
		return float("-Infinity"), nil
	}
	return p.number()
}

func (p *parser) dict(depth int) (Value, error) {
	v := Value{Kind: Dict}
	if p.space(); p.skip("}") {
		return v, nil
	}
	for {
		if p.space(); !p.skip(`"`) {
			return v, p.fault("no key in double quotes")
		}
		key, err := p.str()
		if err != nil {
			return v, err
		}
		if p.space(); !p.skip(":") {
			return v, p.fault("no colon after a key")
		}
		p.space()
		item, err := p.value(depth)
		if err != nil {
			return v, err
		}
		v.Set(key, item)
		if more, err := p.more("}"); !more {
			return v, err
		}
	}
}

func (p *parser) list(depth int) (Value, error) {
	var items []Value
	if p.space(); p.skip("]") {
		return ListOf(nil), nil
	}
	for {
		p.space()
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		items = append(items, item)
		if more, err := p.more("]"); !more {
			return ListOf(items), err
		}
	}
}

// more goes past a comma, or past the end of a list or dict.
func (p *parser) more(end string) (bool, error) {
	p.space()
	switch {
	case p.skip(","):
		return true, nil
	case p.skip(end):
		return false, nil
	}
	return false, p.fault("neither a comma nor the end")
}

// str reads on behind the opening quote.
func (p *parser) str() (string, error) {
	from := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			text := p.text[from:p.at]
			p.at++
			return text, nil
		case c == '\\':
			return p.escaped([]byte(p.text[from:p.at]))
		case c < ' ':
			return "", p.fault("a bare control character")
		}
		p.at++
	}
	return "", p.fault("a string without an end")
}

// escaped reads on at the first backslash of a string.
func (p *parser) escaped(out []byte) (string, error) {
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return string(out), nil
		case c < ' ':
			return "", p.fault("a bare control character")
		case c != '\\':
			out = append(out, c)
			continue
		}
		if p.skip("u") {
			r, ok := p.hex()
			if !ok {
				return "", p.fault("no four hexadecimal digits")
			}
			out = appendRune(out, p.pair(r))
			continue
		}
		i := -1
		if p.at < len(p.text) {
			i = strings.IndexByte(`"\/bfnrt`, p.text[p.at])
		}
		if i < 0 {
			return "", p.fault("an unknown escape")
		}
		out = append(out, "\"\\/\b\f\n\r\t"[i])
		p.at++
	}
	return "", p.fault("a string without an end")
}

func (p *parser) hex() (rune, bool) {
	if len(p.text)-p.at < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 4
	return rune(n), true
}

// pair joins a half of a surrogate pair with its other half, where that follows.
func (p *parser) pair(r rune) rune {
	if !utf16.IsSurrogate(r) || !strings.HasPrefix(p.text[p.at:], `\u`) {
		return r
	}
	back := p.at
	p.at += 2
	if low, ok := p.hex(); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both
		}
	}
	p.at = back
	return r
}

// appendRune writes half a surrogate pair too, as the three bytes that it would have: such texts are only compared.
func appendRune(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

func (p *parser) digits() int {
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - from
}

func (p *parser) number() (Value, error) {
	from := p.at
	p.skip("-")
	if !p.skip("0") && p.digits() == 0 {
		return Value{}, p.fault("no JSON value")
	}
	whole := p.at
	if p.skip(".") && p.digits() == 0 {
		p.at = whole
	}
	mantissa := p.at
	if p.skip("e") || p.skip("E") {
		if !p.skip("+") {
			p.skip("-")
		}
		if p.digits() == 0 {
			p.at = mantissa
		}
	}
	text := p.text[from:p.at]
	if p.at > whole {
		return float(text), nil
	}
	return wholeNumber(text)
}

func float(text string) Value { return Value{Kind: Float, Text: text} }

var (
	errDigits = errors.New("an int of more digits than Python reads")
	errNumber = errors.New("no number")
)

// wholeNumber makes an int of digits with or without a sign.
func wholeNumber(text string) (Value, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if len(digits) > MaxDigits {
		return Value{}, errDigits
	}
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		digits = "0"
	case negative:
		digits = "-" + digits
	}
	return Value{Kind: Int, Text: digits}, nil
}
