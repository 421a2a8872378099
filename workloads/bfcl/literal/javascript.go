package literal

import (
	"strings"

	"paceline/workloads/bfcl/python"
)

// JavaScriptKinds gives the type in Python of a type of JavaScript in BFCL's function descriptions.
var JavaScriptKinds = map[string]python.Kind{
	"String": python.Str, "integer": python.Int, "float": python.Float, "Bigint": python.Int, "Boolean": python.Bool,
	"dict": python.Dict, "array": python.List, "any": python.Str,
}

// JavaScript reads source as a value of a type, as Java does.
func JavaScript(source, kind, inner string) (python.Value, error) {
	asText := python.Text(source)
	switch kind {
	case "String":
		if quoted(source) {
			return python.Text(withoutEnds(source)), nil
		}
		return asText, nil
	case "integer":
		if n, ok := integer(cutNewline(source), ""); ok {
			return readInt(n)
		}
		return asText, nil
	case "float":
		if f, ok := decimal(cutNewline(source), "", false); ok {
			return python.ReadFloat(f)
		}
		return asText, nil
	case "Bigint":
		if _, ok := integer(cutNewline(source), "n"); ok {
			return readInt(source[:len(source)-1]) // behind a newline the n stays, which Python refuses
		}
		return asText, nil
	case "Boolean":
		if source == "true" || source == "false" {
			return python.Truth(source == "true"), nil
		}
		return asText, nil
	case "dict":
		return object(source), nil
	case "array":
		return array(source, inner), nil
	case "any":
		return asText, nil
	}
	return asText, ErrUnread
}

func quoted(s string) bool {
	return strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) || strings.HasPrefix(s, "'") && strings.HasSuffix(s, "'")
}

const rows = "'[ .*? '] s* ( ', s* '[ .*? '] s* )*"

var (
	array2D  = compile("'[ s* " + rows + " '] | b 'new s+ 'Array( s* " + rows + " ')")
	array1D  = compile("'[ { .*? } '] | b 'new s+ 'Array( { .*? } ')")
	brackets = compile("'[ { .*? } ']")
	braces   = compile("'{ { .*? } '}")
)

// array reads an array, of arrays or of values. The text stays where there is none, or where an element cannot be read.
func array(source, inner string) python.Value {
	source = python.Strip(source)
	runes := []rune(source)
	if m, ok := array2D.at(runes, 0); ok {
		return arrayOfArrays(runes[m[0]:m[1]])
	}
	m, ok := array1D.at(runes, 0)
	if !ok {
		return python.Text(source)
	}
	body, first := m.group(runes, 1)
	if !first {
		body, _ = m.group(runes, 2)
	}
	if body = python.Strip(body); body == "" {
		return python.ListOf(nil)
	}
	var out []python.Value
	for item := range strings.SplitSeq(body, ",") {
		item = python.Strip(item)
		v := scalar(item)
		if inner != "" {
			below := ""
			if strings.HasPrefix(item, "'") || strings.HasPrefix(item, `"`) {
				below = "String"
			}
			var err error
			if v, err = JavaScript(item, inner, below); err != nil {
				return python.Text(source)
			}
		}
		out = append(out, v)
	}
	return python.ListOf(out)
}

func arrayOfArrays(runes []rune) python.Value {
	var out []python.Value
	for i, m := range brackets.all(runes) {
		body, _ := m.group(runes, 1)
		body = python.Strip(body)
		if i == 0 {
			body = strings.TrimPrefix(body, "[")
		}
		var row []python.Value
		for item := range strings.SplitSeq(body, ",") {
			row = append(row, scalar(python.Strip(item)))
		}
		out = append(out, python.ListOf(row))
	}
	return python.ListOf(out)
}

// object reads an object up to its first closing brace.
func object(source string) python.Value {
	source = python.Strip(source)
	runes := []rune(source)
	m, ok := braces.at(runes, 0)
	if !ok {
		return python.Text(source)
	}
	body, _ := m.group(runes, 1)
	out := python.Value{Kind: python.Dict}
	if source == "{}" {
		return out
	}
	eachPair(body, func(key, item string) {
		key = strings.Trim(python.Strip(key), `'"`)
		item = python.Strip(item)
		if strings.HasPrefix(item, "[") && strings.HasSuffix(item, "]") {
			out.Set(key, array(item, ""))
			return
		}
		out.Set(key, scalar(strings.Trim(item, `'"`)))
	})
	return out
}

// eachPair splits what stands between braces, a text without newlines: a key is all up to a colon, a value goes to the first
// comma behind which there is another key, or to the end.
func eachPair(body string, yield func(key, item string)) {
	for body != "" {
		colon := strings.IndexByte(body[1:], ':') + 1
		switch {
		case body[0] == ':': // no key begins with a colon
			body = body[1:]
			continue
		case colon == 0:
			return
		}
		key, rest := body[:colon], strings.TrimLeftFunc(body[colon+1:], python.IsSpace)
		item, next := rest, ""
		for from := 0; ; {
			comma := strings.IndexByte(rest[from:], ',')
			if comma < 0 {
				break
			}
			comma += from
			if start := keyAfter(rest[comma+1:]); start >= 0 {
				item, next = rest[:comma], rest[comma+1+start:]
				break
			}
			from = comma + 1
		}
		yield(key, item)
		body = next
	}
}

// keyAfter gives where a key begins in what follows a comma: behind white space, if then come one character at least without
// a comma, and a colon; -1 where none does. One character of the white space may be that character.
func keyAfter(s string) int {
	trimmed := strings.TrimLeftFunc(s, python.IsSpace)
	if beginsKey(trimmed) {
		return len(s) - len(trimmed)
	}
	if trimmed == s {
		return -1
	}
	last := strings.LastIndexFunc(s[:len(s)-len(trimmed)], func(rune) bool { return true })
	if beginsKey(s[last:]) {
		return last
	}
	return -1
}

// beginsKey reports one character at least, none of them a comma, and then a colon.
func beginsKey(s string) bool {
	if s == "" || s[0] == ',' {
		return false
	}
	end := strings.IndexAny(s[1:], ":,")
	return end >= 0 && s[1+end] == ':'
}

// scalar reads a value of which no type is told.
func scalar(s string) python.Value {
	s = python.Strip(s)
	if s == "true" || s == "false" {
		return python.Truth(s == "true")
	}
	if quoted(s) {
		return python.Text(withoutEnds(s))
	}
	return untyped(s)
}
