// Package canon compares JSON values by what they mean: numbers by value, objects whatever the order of their members.
package canon

import (
	"bytes"
	"slices"

	"paceline/workloads/rawjson"
)

// deepest bounds the recursion of Append.
const deepest = 512

// Append appends v so that equal values give equal bytes: members sorted by key with the last of equal keys, strings
// with the same escapes, numbers by value, no white space. What lies deeper than 512 levels is only made compact. The text
// must be valid.
func Append(dst []byte, v rawjson.Value) []byte { return appendValue(dst, v, 0) }

func appendValue(dst []byte, v rawjson.Value, depth int) []byte {
	if depth > deepest {
		return rawjson.AppendCompact(dst, v)
	}
	switch v.Kind() {
	case rawjson.String:
		text, _ := v.Text()
		return rawjson.AppendString(dst, text)
	case rawjson.Number:
		return appendNumber(dst, v)
	case rawjson.Array:
		dst = append(dst, '[')
		v.Each(func(i int, element rawjson.Value) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, element, depth+1)
			return true
		})
		return append(dst, ']')
	case rawjson.Object:
		return appendObject(dst, v, depth)
	default:
		return append(dst, v...)
	}
}

func appendObject(dst []byte, v rawjson.Value, depth int) []byte {
	type member struct {
		key   string
		value rawjson.Value
	}
	var list []member
	v.Fields(func(key []byte, value rawjson.Value) { list = append(list, member{string(key), value}) })
	slices.SortStableFunc(list, func(a, b member) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	dst = append(dst, '{')
	first := true
	for i, m := range list {
		if i+1 < len(list) && list[i+1].key == m.key {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(rawjson.AppendString(dst, m.key), ':')
		dst = appendValue(dst, m.value, depth+1)
	}
	return append(dst, '}')
}
