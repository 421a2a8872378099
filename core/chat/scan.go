package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errJSON is what the scanner says of bytes that are no JSON. It looks only as closely as finding the ends of values
// needs; callers that take JSON from outside validate it first.
var errJSON = errors.New("not well-formed JSON")

// member is one key of an object and where its value stands in the object's bytes.
type member struct {
	key      string
	from, to int
}

// skipSpace returns the index of the first byte at or after i that is no JSON white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns the index behind the string that opens at i.
func skipString(b []byte, i int) (int, error) {
	for j := i + 1; j < len(b); j++ {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			break
		}
		j += n
		slashes := 0
		for k := j - 1; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return j + 1, nil
		}
	}
	return 0, errJSON
}

// skipValue returns the index behind the value that starts at i.
func skipValue(b []byte, i int) (int, error) {
	if i >= len(b) {
		return 0, errJSON
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	j := i
	for j < len(b) && bytes.IndexByte([]byte(" \n\r\t,:]}"), b[j]) < 0 {
		j++
	}
	if j == i {
		return 0, errJSON
	}
	return j, nil
}

func skipNested(b []byte, i int) (int, error) {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil {
				return 0, err
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
		i++
	}
	return 0, errJSON
}

// members lists the members of the object b in their order.
func members(b []byte) ([]member, error) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, errors.New("not a JSON object")
	}
	var list []member
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return nil, nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return nil, errJSON
		}
		end, err := skipString(b, i)
		if err != nil {
			return nil, err
		}
		key, err := unquote(b[i:end])
		if err != nil {
			return nil, fmt.Errorf("read key: %w", err)
		}
		if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
			return nil, errJSON
		}
		m := member{key: key, from: skipSpace(b, i+1)}
		if m.to, err = skipValue(b, m.from); err != nil {
			return nil, err
		}
		list = append(list, m)
		if i = skipSpace(b, m.to); i >= len(b) {
			return nil, errJSON
		}
		if b[i] == '}' {
			return list, nil
		}
		if b[i] != ',' {
			return nil, errJSON
		}
		i = skipSpace(b, i+1)
	}
}

// elements lists where the elements of the array b stand.
func elements(b []byte) ([]member, error) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '[' {
		return nil, errors.New("not a JSON array")
	}
	var list []member
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return nil, nil
	}
	for {
		end, err := skipValue(b, i)
		if err != nil {
			return nil, err
		}
		list = append(list, member{from: i, to: end})
		if i = skipSpace(b, end); i >= len(b) {
			return nil, errJSON
		}
		if b[i] == ']' {
			return list, nil
		}
		if b[i] != ',' {
			return nil, errJSON
		}
		i = skipSpace(b, i+1)
	}
}

// find returns the last member with that key, as readers of JSON take it, and false where there is none.
func find(list []member, key string) (member, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].key == key {
			return list[i], true
		}
	}
	return member{}, false
}

// text returns the member's value as text where it is a string.
func text(b []byte, list []member, key string) (string, bool) {
	m, ok := find(list, key)
	if !ok || b[m.from] != '"' {
		return "", false
	}
	s, err := unquote(b[m.from:m.to])
	return s, err == nil
}

func unquote(raw []byte) (string, error) {
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}
