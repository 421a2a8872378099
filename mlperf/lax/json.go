package lax

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON reads one JSON document. NaN, Infinity and -Infinity are numbers; a byte order mark is a fault.
func JSON(data []byte) (*Value, error) {
	if strings.HasPrefix(string(data[:min(3, len(data))]), "\ufeff") {
		return nil, errors.New("it begins with a byte order mark; save it as UTF-8 without one")
	}
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	p := &jsonReader{text: string(data)}
	v, err := p.document()
	if err != nil {
		line := 1 + strings.Count(p.text[:p.at], "\n")
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return v, nil
}

type jsonReader struct {
	text   string
	at     int
	depth  int
	values int
}

func (p *jsonReader) document() (*Value, error) {
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.text) {
		return nil, errors.New("something follows the document")
	}
	return v, nil
}

func (p *jsonReader) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

var jsonWords = []struct {
	word string
	v    Value
}{
	{"null", Value{}}, {"true", Value{Kind: Bool, Bool: true}}, {"false", Value{Kind: Bool}},
	{"NaN", Value{Kind: Float, Float: math.NaN()}}, {"Infinity", Value{Kind: Float, Float: math.Inf(1)}}, {"-Infinity", Value{Kind: Float, Float: math.Inf(-1)}},
}

func (p *jsonReader) value() (*Value, error) {
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	if p.at == len(p.text) {
		return nil, errors.New("a value is missing")
	}
	switch p.text[p.at] {
	case '{':
		return p.nested(p.object)
	case '[':
		return p.nested(p.list)
	case '"':
		s, err := p.string()
		return &Value{Kind: Text, Text: s}, err
	}
	for _, w := range jsonWords {
		if strings.HasPrefix(p.text[p.at:], w.word) {
			p.at += len(w.word)
			v := w.v
			return &v, nil
		}
	}
	return p.number()
}

func (p *jsonReader) nested(read func() (*Value, error)) (*Value, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	p.at++
	p.space()
	v, err := read()
	p.depth--
	return v, err
}

func (p *jsonReader) list() (*Value, error) {
	v := &Value{Kind: List}
	for more := !p.take(']'); more; {
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		v.List = append(v.List, e)
		if more, err = p.next(']'); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (p *jsonReader) object() (*Value, error) {
	v, index := &Value{Kind: Map}, map[string]int{}
	for more := !p.take('}'); more; {
		if p.at == len(p.text) || p.text[p.at] != '"' {
			return nil, errors.New("a field name in double quotes is missing")
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.take(':') {
			return nil, fmt.Errorf("a colon is missing after %q", clip(key))
		}
		p.space()
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		v.set(index, key, e)
		if more, err = p.next('}'); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// next goes past a comma or the end of a list or object.
func (p *jsonReader) next(end byte) (more bool, err error) {
	p.space()
	if p.take(end) {
		return false, nil
	}
	if !p.take(',') {
		return false, fmt.Errorf("a comma or %q is missing", end)
	}
	p.space()
	return true, nil
}

func (p *jsonReader) take(c byte) bool {
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *jsonReader) digits() int {
	from := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - from
}

func (p *jsonReader) number() (*Value, error) {
	from, whole := p.at, true
	p.take('-')
	if zero := p.take('0'); !zero && p.digits() == 0 {
		p.at = from
		return nil, errors.New("a value is missing")
	}
	if back := p.at; p.take('.') {
		if whole = false; p.digits() == 0 {
			p.at, whole = back, true
		}
	}
	if back := p.at; p.at < len(p.text) && (p.text[p.at] == 'e' || p.text[p.at] == 'E') {
		p.at++
		_ = p.take('+') || p.take('-')
		if p.digits() == 0 {
			p.at = back
		} else {
			whole = false
		}
	}
	text := p.text[from:p.at]
	if !whole {
		f, _ := strconv.ParseFloat(text, 64)
		return &Value{Kind: Float, Float: f}, nil
	}
	if len(text) > maxDigits {
		return nil, fmt.Errorf("an integer of more than %d digits", maxDigits)
	}
	n, _ := new(big.Int).SetString(text, 10)
	return &Value{Kind: Int, Int: n}, nil
}

var jsonEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *jsonReader) string() (string, error) {
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			return "", errors.New("a control character inside a text")
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if err := p.escape(&b); err != nil {
			return "", err
		}
	}
	return "", errors.New("a text does not end")
}

func (p *jsonReader) escape(b *strings.Builder) error {
	if p.at == len(p.text) {
		return errors.New("a text does not end")
	}
	c := p.text[p.at]
	p.at++
	if e, ok := jsonEscapes[c]; ok {
		b.WriteByte(e)
		return nil
	}
	if c != 'u' {
		return fmt.Errorf(`\%c is no escape`, c)
	}
	r, err := p.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(p.text[p.at:], `\u`) {
		back := p.at
		p.at += 2
		low, err := p.hex4()
		if err != nil {
			return err
		}
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			r = both
		} else {
			p.at = back
		}
	}
	b.WriteRune(r)
	return nil
}

func (p *jsonReader) hex4() (rune, error) {
	if p.at+4 > len(p.text) {
		return 0, errors.New("a \\u escape is cut off")
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, errors.New("a \\u escape wants four hexadecimal digits")
	}
	p.at += 4
	return rune(n), nil
}
