package configschema

import (
	"fmt"
	"strings"

	"paceline/workloads/rawjson"
)

// Key is one key of a configuration, for people.
type Key struct {
	Name     string `json:"name"`
	Want     string `json:"want"`              // e.g. integer from 1 to 100
	Default  string `json:"default,omitempty"` // JSON; empty: none
	Required bool   `json:"required,omitempty"`
	About    string `json:"about,omitempty"`
}

// Keys lists the keys that the schema has at its root, in its order.
func (s *Schema) Keys() []Key {
	root := s.follow(s.root)
	required := map[string]bool{}
	root.Get("required").Each(func(_ int, v rawjson.Value) bool {
		if name, ok := v.Text(); ok {
			required[name] = true
		}
		return true
	})
	var keys []Key
	root.Get("properties").Fields(func(name []byte, property rawjson.Value) {
		property = s.follow(property)
		k := Key{Name: string(name), Want: Want(property), Required: required[string(name)], Default: string(property.Get("default"))}
		k.About, _ = property.Get("description").Text()
		keys = append(keys, k)
	})
	return keys
}

// Want says in a few words what a schema allows; empty where that takes more.
func Want(node rawjson.Value) string {
	want := one(node)
	if of := one(node.Get("items")); want == "array" && of != "" {
		return "array of " + of
	}
	return want
}

// one is Want without what a list has in it.
func one(node rawjson.Value) string {
	if c := node.Get("const"); c != nil {
		return short(c)
	}
	if list := node.Get("enum"); list.Kind() == rawjson.Array {
		return "one of " + strings.Join(texts(list), ", ")
	}
	kind := node.Get("type")
	want := ""
	if text, ok := kind.Text(); ok {
		want = text
	} else if kind.Kind() == rawjson.Array {
		want = strings.Join(texts(kind), " or ")
	}
	want += span(node, "minimum", "maximum", " from %s to %s", " from %s", " up to %s")
	want += span(node, "exclusiveMinimum", "exclusiveMaximum", " above %s and below %s", " above %s", " below %s")
	for _, of := range []string{"Length", "Items", "Properties"} {
		things := map[string]string{"Length": "characters", "Items": "elements", "Properties": "keys"}[of]
		want += span(node, "min"+of, "max"+of, " of %s to %s "+things, " of at least %s "+things, " of at most %s "+things)
	}
	if pattern, ok := node.Get("pattern").Text(); ok {
		want += fmt.Sprintf(" like %q", pattern)
	}
	return strings.TrimSpace(want)
}

// span tells two bounds, or the one that is there.
func span(node rawjson.Value, least, most, both, low, high string) string {
	a, b := node.Get(least), node.Get(most)
	switch {
	case a != nil && b != nil:
		return fmt.Sprintf(both, short(a), short(b))
	case a != nil:
		return fmt.Sprintf(low, short(a))
	case b != nil:
		return fmt.Sprintf(high, short(b))
	}
	return ""
}

// texts are the elements of a list, strings without their quotes.
func texts(list rawjson.Value) []string {
	var out []string
	list.Each(func(_ int, v rawjson.Value) bool {
		text, ok := v.Text()
		if !ok || text == "" {
			text = short(v)
		}
		out = append(out, text)
		return len(out) < 64
	})
	return out
}
