package configschema

import (
	"slices"
	"strconv"
	"strings"

	"paceline/workloads/checks/schema"
	"paceline/workloads/rawjson"
)

// Fault is one thing wrong with a configuration.
type Fault struct {
	Path []string // keys and element numbers, from the configuration's root
	Text string
	// Near are the keys that are known where an unknown one stands.
	Near []string
}

// at finds the part of the schema that speaks of a place; nil where that takes more than names and element numbers.
func (s *Schema) at(path []string) rawjson.Value {
	node := s.follow(s.root)
	for _, key := range path {
		next := node.Get("properties").Get(key)
		if _, err := strconv.Atoi(key); err == nil && next == nil {
			next = node.Get("items")
		}
		if next == nil {
			next = node.Get("additionalProperties")
		}
		if next == nil {
			return nil
		}
		node = s.follow(next)
	}
	return node
}

// fault says what is wrong in words of the schema.
func (s *Schema) fault(f schema.Fault, text rawjson.Value) Fault {
	out := Fault{Text: f.Message}
	if f.Pointer != "" {
		for part := range strings.SplitSeq(f.Pointer[1:], "/") {
			out.Path = append(out.Path, unescape(part))
		}
	}
	node, found := s.at(out.Path), valueAt(text, out.Path)
	switch f.Class {
	case schema.Unexpected:
		if n := len(out.Path); n > 0 {
			out.Text = "unknown key"
			s.at(out.Path[:n-1]).Get("properties").Fields(func(name []byte, _ rawjson.Value) { out.Near = append(out.Near, string(name)) })
			slices.Sort(out.Near)
		}
	case schema.Required, schema.Combination, schema.Unique:
	default:
		if want := Want(node); want != "" && found != nil {
			out.Text = short(found) + " does not fit; want " + want
		}
	}
	return out
}

func valueAt(v rawjson.Value, path []string) rawjson.Value {
	for _, key := range path {
		if v.Kind() == rawjson.Object {
			v = v.Get(key)
			continue
		}
		n, err := strconv.Atoi(key)
		if err != nil {
			return nil
		}
		var element rawjson.Value
		v.Each(func(i int, e rawjson.Value) bool {
			if i == n {
				element = e
			}
			return i < n
		})
		v = element
	}
	return v
}

// short is a value for a message.
func short(v rawjson.Value) string {
	const most = 60
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "..."
	}
	return string(v)
}
