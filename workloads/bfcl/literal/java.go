package literal

import (
	"errors"
	"strings"

	"paceline/workloads/bfcl/python"
)

// ErrUnread is told where the official checker stops with an error of its own: a type it has no reading for, or a number
// that Python refuses.
var ErrUnread = errors.New("the official checker has no reading for it")

// JavaKinds gives the type in Python of a type of Java in BFCL's function descriptions.
var JavaKinds = map[string]python.Kind{
	"byte": python.Int, "short": python.Int, "integer": python.Int, "long": python.Int, "float": python.Float, "double": python.Float,
	"boolean": python.Bool, "char": python.Str, "String": python.Str, "any": python.Str, "Array": python.List, "ArrayList": python.List,
	"HashMap": python.Dict, "Set": python.Absent, "Hashtable": python.Dict, "Queue": python.List, "Stack": python.List,
}

// Java reads source as a value of a type; inner is the type of the elements, empty where none is told.
func Java(source, kind, inner string) (python.Value, error) {
	asText := python.Text(source)
	switch kind {
	case "byte", "short", "integer":
		if n, ok := integer(cutNewline(source), ""); ok {
			return readInt(n)
		}
		return asText, nil
	case "long":
		if n, ok := integer(cutNewline(source), "lL"); ok {
			return readInt(n)
		}
		return asText, nil
	case "float":
		if f, ok := decimal(cutNewline(source), "fF", true); ok {
			return python.ReadFloat(f)
		}
		return asText, nil
	case "double":
		if f, ok := decimal(cutNewline(source), "", true); ok {
			return python.ReadFloat(f)
		}
		return asText, nil
	case "boolean":
		if source == "true" || source == "false" {
			return python.Truth(source == "true"), nil
		}
		return asText, nil
	case "char", "String", "any":
		return asText, nil
	case "ArrayList":
		return arrayList(source, inner)
	case "Array":
		return javaArray(source, inner)
	case "HashMap":
		return hashMap(source)
	}
	return asText, ErrUnread
}

// cutNewline takes off the newline that the end of a pattern passes over.
func cutNewline(s string) string { return strings.TrimSuffix(s, "\n") }

// integer reads -?digits and one of the suffixes, where any is asked for; it gives the number without it.
func integer(s, suffixes string) (string, bool) {
	if suffixes != "" {
		if s == "" || !strings.ContainsRune(suffixes, rune(s[len(s)-1])) {
			return "", false
		}
		s = s[:len(s)-1]
	}
	digits := strings.TrimPrefix(s, "-")
	return s, digits != "" && skipDigits(digits) == ""
}

// decimal reads -?digits(.digits)? with an exponent where those are known, and one of the suffixes.
func decimal(s, suffixes string, exponent bool) (string, bool) {
	if suffixes != "" {
		if s == "" || !strings.ContainsRune(suffixes, rune(s[len(s)-1])) {
			return "", false
		}
		s = s[:len(s)-1]
	}
	rest, ok := passDigits(strings.TrimPrefix(s, "-"))
	if ok && strings.HasPrefix(rest, ".") {
		rest, ok = passDigits(rest[1:])
	}
	if ok && exponent && rest != "" && strings.ContainsRune("eE", rune(rest[0])) {
		rest = rest[1:]
		if rest != "" && strings.ContainsRune("+-", rune(rest[0])) {
			rest = rest[1:]
		}
		rest, ok = passDigits(rest)
	}
	return s, ok && rest == ""
}

func skipDigits(s string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { _, ok := python.Digit(r); return ok })
}

// passDigits goes past one digit at least.
func passDigits(s string) (rest string, ok bool) {
	rest = skipDigits(s)
	return rest, len(rest) < len(s)
}

func readInt(s string) (python.Value, error) {
	v, err := python.ReadInt(s)
	if err != nil {
		return v, ErrUnread
	}
	return v, nil
}

var (
	listOfItems = compile("'new s+ 'ArrayList< w* '>(Arrays.asList( { .+? } '))")
	listOfAdds  = compile("'new s+ 'ArrayList< w* '>() s* '{{ s* { a+? } s* '}}")
	oneAdd      = compile("'add( { .+? } ')")
	listEmpty   = compile("'new s+ 'ArrayList< w* '>()")
	arrayItems  = compile("'new s+ w+ '[] s* '{ { .*? } '}")
	mapOfPuts   = compile("'new s+ 'HashMap< a*? '> s* '() s* '{ s* ( '{ )? s* { a*? } s* ( '} )? s* '}")
	onePut      = compile(`'put(" { .*? } '", s* { .*? } ')`)
	mapEmpty    = compile("'new s+ 'HashMap< .*? '> s* '()")
)

func arrayList(source, inner string) (python.Value, error) {
	runes := []rune(source)
	if m, ok := listOfItems.find(runes); ok {
		items, _ := m.group(runes, 1)
		return listItems(strings.Split(items, ","), inner)
	}
	if m, ok := listOfAdds.find(runes); ok {
		body, _ := m.group(runes, 1)
		calls := []rune(body)
		var items []string
		for _, add := range oneAdd.all(calls) {
			item, _ := add.group(calls, 1)
			items = append(items, item)
		}
		return listItems(items, inner)
	}
	if _, ok := listEmpty.find(runes); ok {
		return python.ListOf(nil), nil
	}
	return python.Text(source), nil
}

// listItems reads the elements of an ArrayList: of texts and characters the first and the last sign are taken for quotes.
func listItems(items []string, inner string) (python.Value, error) {
	out := make([]python.Value, len(items))
	for i, item := range items {
		item = python.Strip(item)
		var err error
		switch inner {
		case "char", "String":
			out[i] = python.Text(withoutEnds(item))
		default:
			out[i], err = javaElement(item, inner)
		}
		if err != nil {
			return python.Value{}, err
		}
	}
	return python.ListOf(out), nil
}

func javaElement(item, inner string) (python.Value, error) {
	if inner == "" {
		return javaValue(item)
	}
	return Java(item, inner, "")
}

// withoutEnds takes off the first and the last character.
func withoutEnds(s string) string {
	runes := []rune(s)
	if len(runes) < 2 {
		return ""
	}
	return string(runes[1 : len(runes)-1])
}

func javaArray(source, inner string) (python.Value, error) {
	runes := []rune(source)
	m, ok := arrayItems.find(runes)
	if !ok {
		return python.Text(source), nil
	}
	body, _ := m.group(runes, 1)
	var out []python.Value
	for item := range strings.SplitSeq(body, ",") {
		if item = python.Strip(item); item == "" {
			continue
		}
		v, err := javaElement(item, inner)
		if err != nil {
			return v, err
		}
		out = append(out, v)
	}
	return python.ListOf(out), nil
}

func hashMap(source string) (python.Value, error) {
	runes := []rune(source)
	out := python.Value{Kind: python.Dict}
	m, ok := mapOfPuts.find(runes)
	if !ok {
		if _, ok := mapEmpty.find(runes); !ok {
			return python.Text(source), nil
		}
		return out, nil
	}
	body, _ := m.group(runes, 1)
	calls := []rune(body)
	for _, put := range onePut.all(calls) {
		key, _ := put.group(calls, 1)
		item, _ := put.group(calls, 2)
		v, err := javaValue(python.Strip(item))
		if err != nil {
			return v, err
		}
		out.Set(key, v)
	}
	return out, nil
}

// javaValue reads a value of which no type is told.
func javaValue(s string) (python.Value, error) {
	if s == "true" || s == "false" {
		return python.Truth(s == "true"), nil
	}
	if strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) {
		return python.Text(withoutEnds(s)), nil
	}
	if n, ok := integer(s, "lL"); ok {
		return readInt(n)
	}
	if f, ok := decimal(s, "fF", true); ok {
		return python.ReadFloat(f)
	}
	return untyped(s), nil
}

// untyped reads an int, else a float, else leaves the text.
func untyped(s string) python.Value {
	if v, err := python.ReadInt(s); err == nil {
		return v
	}
	if v, err := python.ReadFloat(s); err == nil {
		return v
	}
	return python.Text(s)
}
