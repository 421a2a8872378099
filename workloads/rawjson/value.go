package rawjson

import (
	"bytes"
	"encoding/binary"
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

// Members calls yield for each member of an object in the order of the text, with the key decoded and good until the next
// call, until yield gives false or the text stops being JSON. Values are checked on the way. On another kind nothing is called and the error
// says so. It returns the position after the object.
func Members(data []byte, i int, yield func(key []byte, value Value) bool) (int, *SyntaxError) {
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
func keyText(s []byte) []byte {
	return decoded(s[:passString(s, 0)])
}

// decoded gives the text of a string, without a copy where it has no escapes.
func decoded(v Value) []byte {
	if len(v) < 2 || bytes.IndexByte(v, '\\') < 0 {
		return v[min(1, len(v)):max(len(v)-1, min(1, len(v)))]
	}
	text, _ := v.Text()
	return []byte(text)
}

// Each calls yield for each element of an array in order, until yield gives false. On another kind nothing is called.
func (v Value) Each(yield func(index int, element Value) bool) {
	if v.Empty() || v[0] != '[' {
		return
	}
	i := Space(v, 1)
	for n := 0; ; n++ {
		end := pass(v, i)
		if !yield(n, v[i:end]) {
			return
		}
		if i = Space(v, end); i >= len(v) || v[i] != ',' {
			return
		}
		i = Space(v, i+1)
	}
}

// Fields calls yield for each member of an object in order, with the key decoded and good until the next call. On another
// kind nothing is called.
func (v Value) Fields(yield func(key []byte, value Value)) {
	if v.Empty() || v[0] != '{' {
		return
	}
	for i := Space(v, 1); i < len(v) && v[i] == '"'; {
		end := passString(v, i)
		key := decoded(v[i:end])
		if i = Space(v, end); i >= len(v) || v[i] != ':' {
			return
		}
		i = Space(v, i+1)
		end = pass(v, i)
		yield(key, v[i:end])
		if i = Space(v, end); i >= len(v) || v[i] != ',' {
			return
		}
		i = Space(v, i+1)
	}
}

// Empty reports whether v has no elements or members: an empty array or object, or another kind.
func (v Value) Empty() bool {
	if k := v.Kind(); k != Array && k != Object {
		return true
	}
	i := Space(v, 1)
	return i >= len(v) || v[i] == v[0]+2
}

// Get returns the value of a key of an object, the last where the key stands twice, nil where it is absent or v is of
// another kind.
func (v Value) Get(key string) Value {
	var found Value
	v.Fields(func(k []byte, value Value) {
		if string(k) == key {
			found = value
		}
	})
	return found
}

// pass returns the position after the value at v[i], in a text that was checked; in another it gives some position that is
// not beyond the text.
func pass(v Value, i int) int {
	depth := 0
	for i < len(v) {
		switch v[i] {
		case '"':
			if i = passString(v, i); depth == 0 {
				return i
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if i++; depth == 0 {
				return i
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
		default:
			i++
		}
	}
	return i
}

// passString returns the position after the string at v[i], under the same terms.
func passString(v Value, i int) int {
	for i++; i < len(v); {
		if i+8 <= len(v) && plain(binary.LittleEndian.Uint64(v[i:])) {
			i += 8
			continue
		}
		switch v[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return len(v)
}

// plain reports that none of the eight bytes of w is a quote or a backslash.
func plain(w uint64) bool {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote|(slash-ones)&^slash)&highs == 0
}
