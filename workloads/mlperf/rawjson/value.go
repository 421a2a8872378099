package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Value is the source text of one JSON value, without white space around it. A nil Value stands for one that is
// absent. Methods other than Kind want a text that was checked before; on another they give zero values.
type Value []byte

// Kind is the type of a JSON value.
type Kind byte

// The kinds, by the first byte of their text where there is only one.
const (
	Absent Kind = 0
	Null   Kind = 'n'
	Bool   Kind = 't'
	Number Kind = '0'
	String Kind = '"'
	Array  Kind = '['
	Object Kind = '{'
)

// Kind tells the type by the first byte.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	switch c := v[0]; c {
	case '"', '[', '{', 'n':
		return Kind(c)
	case 't', 'f':
		return Bool
	default:
		return Number
	}
}

// Missing reports whether the value is absent or null.
func (v Value) Missing() bool { return len(v) == 0 || v[0] == 'n' }

// Text decodes a string. A lone surrogate escape becomes U+FFFD. ok is false for every other kind.
func (v Value) Text() (text string, ok bool) {
	if v.Kind() != String || len(v) < 2 {
		return "", false
	}
	body := v[1 : len(v)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body), true
	}
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		if body[0] != '\\' {
			n := bytes.IndexByte(body, '\\')
			if n < 0 {
				n = len(body)
			}
			out = append(out, body[:n]...)
			body = body[n:]
			continue
		}
		n := escape(body)
		if n == 0 {
			return "", false
		}
		if n == 6 {
			r, used := surrogates(body)
			out, n = utf8.AppendRune(out, r), used
		} else {
			out = append(out, unescape(body[1]))
		}
		body = body[n:]
	}
	return string(out), true
}

// surrogates decodes the \u escape at the start of s, together with the second half of a pair.
func surrogates(s []byte) (rune, int) {
	r, _ := hex4(s[2:])
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := hex4(s[8:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
	}
	return r, 6 // AppendRune writes U+FFFD for a lone half
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

// Members calls yield for each member of an object in the order of the text, with the key decoded, until yield gives
// false or the text stops being JSON. Values are checked on the way. On another kind nothing is called and the error
// says so. It returns the position after the object.
func Members(data []byte, i int, yield func(key string, value Value) bool) (int, *SyntaxError) {
	if i >= len(data) || data[i] != '{' {
		return i, unexpected(data, i, "an object")
	}
	if i = Space(data, i+1); i < len(data) && data[i] == '}' {
		return i + 1, nil
	}
	for {
		at := i
		next, err := skipKey(data, i)
		if err != nil {
			return next, err
		}
		end, err := Skip(data, next)
		if err != nil {
			return end, err
		}
		if !yield(keyText(data[at:next]), Value(data[next:end])) {
			return end, nil
		}
		if i = Space(data, end); i < len(data) && data[i] == '}' {
			return i + 1, nil
		}
		if i >= len(data) || data[i] != ',' {
			return i, unexpected(data, i, "a comma or the end of the object")
		}
		i = Space(data, i+1)
	}
}

// keyText decodes the key at the start of s, which goes on to the value.
func keyText(s []byte) string {
	end, err := skipString(s, 0)
	if err != nil {
		return ""
	}
	text, _ := Value(s[:end]).Text()
	return text
}

// Each calls yield for each element of an array in order, until yield gives false. On another kind nothing is called.
func (v Value) Each(yield func(index int, element Value) bool) {
	if v.Kind() != Array {
		return
	}
	i := Space(v, 1)
	if i < len(v) && v[i] == ']' {
		return
	}
	for n := 0; ; n++ {
		end, err := Skip(v, i)
		if err != nil || !yield(n, v[i:end]) {
			return
		}
		if i = Space(v, end); i >= len(v) || v[i] != ',' {
			return
		}
		i = Space(v, i+1)
	}
}

// Len counts the elements of an array; it is 0 for every other kind.
func (v Value) Len() int {
	n := 0
	v.Each(func(int, Value) bool { n++; return true })
	return n
}

// Get returns the value of a key of an object, the last where the key stands twice, nil where it is absent or v is of
// another kind.
func (v Value) Get(key string) Value {
	var found Value
	if v.Kind() != Object {
		return nil
	}
	_, err := Members(v, 0, func(k string, value Value) bool {
		if k == key {
			found = value
		}
		return true
	})
	if err != nil {
		return nil
	}
	return found
}
