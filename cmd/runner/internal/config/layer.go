package config

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Layer is one source of values. Keys of Values are nested maps; Where tells where a key stands, for messages.
type Layer struct {
	Name   string // default, bench.yaml, environment, --users, --set
	Values map[string]any
	lines  map[string]int // joined path -> line of a file
}

// sep joins the parts of a path inside this package. No key holds it, so keys may hold dots and slashes.
const sep = "\x1f"

func (l Layer) where(path string) string {
	for p := path; p != ""; p = parent(p) {
		if n := l.lines[p]; n > 0 {
			return fmt.Sprintf("%s:%d", l.Name, n)
		}
	}
	return l.Name
}

func parent(path string) string {
	i := strings.LastIndex(path, sep)
	if i < 0 {
		return ""
	}
	return path[:i]
}

// Show writes a path the way that --set takes it.
func show(path string) string {
	parts := strings.Split(path, sep)
	for i, p := range parts {
		if strings.ContainsAny(p, `."= `) {
			parts[i] = `"` + p + `"`
		}
	}
	return strings.Join(parts, ".")
}

// File reads a run file (YAML, of which JSON is a part) as a layer named after it.
func File(path string) (Layer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Layer{}, fmt.Errorf("read run file: %w", err)
	}
	return Parse(path, text)
}

// Document reads a YAML file (of which JSON is a part) as JSON, for formats that are no run files.
func Document(path string) (json.RawMessage, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return raw, nil
}

// Parse reads a run file's text. Values keep the lines that they stand on.
func Parse(name string, text []byte) (Layer, error) {
	l := Layer{Name: name, Values: map[string]any{}, lines: map[string]int{}}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return l, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return l, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return l, fmt.Errorf("%s:%d: a run file is a mapping of keys to values, e.g. \"target: {url: ...}\"", name, root.Line)
	}
	if err := root.Decode(&l.Values); err != nil {
		return l, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	l.note("", root)
	return l, nil
}

func (l Layer) note(path string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := join(path, n.Content[i].Value)
		l.lines[p] = n.Content[i].Line
		l.note(p, n.Content[i+1])
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + sep + key
}

// Environment reads the variables PACELINE_*, each named after a key: target.url is PACELINE_TARGET_URL. Variables in
// reserved belong to others and are left alone.
func Environment(environ []string, reserved ...string) (Layer, error) {
	l := Layer{Name: "environment", Values: map[string]any{}}
	byName := map[string]string{}
	for _, p := range leafPaths() {
		byName[envName(p)] = p
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "PACELINE_") || slices.Contains(reserved, name) {
			continue
		}
		path, ok := byName[name]
		if !ok {
			return l, fmt.Errorf("environment variable %s names no key of a run file%s", name, nearest(name, sortedKeys(byName)))
		}
		if err := put(l.Values, path, scalar(value)); err != nil {
			return l, fmt.Errorf("environment variable %s: %w", name, err)
		}
	}
	return l, nil
}

func envName(path string) string {
	return "PACELINE_" + strings.ToUpper(strings.ReplaceAll(path, sep, "_"))
}

// Set reads assignments of the form key.key=value; a value is read as YAML, and a key with dots may stand in quotes.
func Set(name string, assignments []string) (Layer, error) {
	l := Layer{Name: name, Values: map[string]any{}}
	for _, a := range assignments {
		key, value, ok := strings.Cut(a, "=")
		if !ok || key == "" {
			return l, fmt.Errorf("%s %q: want key=value, e.g. load.users=8", name, a)
		}
		path, err := splitPath(key)
		if err != nil {
			return l, fmt.Errorf("%s %q: %w", name, a, err)
		}
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			return l, fmt.Errorf("%s %q: the value is no YAML: %s", name, a, strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if v == nil && value != "null" && value != "~" {
			v = value
		}
		if err := put(l.Values, path, v); err != nil {
			return l, fmt.Errorf("%s %q: %w", name, a, err)
		}
	}
	return l, nil
}

// Values reads assignments as a free group of keys.
func Values(name string, assignments []string) (map[string]any, error) {
	l, err := Set(name, assignments)
	if err != nil {
		return nil, err
	}
	return l.Values, nil
}

// Put adds one value under a dotted path, for flags.
func (l *Layer) Put(path string, value any) {
	if l.Values == nil {
		l.Values = map[string]any{}
	}
	p, err := splitPath(path)
	if err == nil {
		err = put(l.Values, p, value)
	}
	if err != nil {
		panic(fmt.Sprintf("config: flag path %q: %v", path, err)) // a programmer's error: paths of flags are constants
	}
}

func scalar(text string) any {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil || v == nil {
		return text
	}
	return v
}

func splitPath(key string) (string, error) {
	var parts []string
	for rest := key; ; {
		var part string
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return "", fmt.Errorf("a quote in %q is not closed", key)
			}
			part, rest = rest[1:end+1], rest[end+2:]
		} else {
			i := strings.IndexByte(rest, '.')
			if i < 0 {
				i = len(rest)
			}
			part, rest = rest[:i], rest[i:]
		}
		if part == "" {
			return "", fmt.Errorf("the key %q has an empty part", key)
		}
		parts = append(parts, part)
		if rest == "" {
			return strings.Join(parts, sep), nil
		}
		if rest[0] != '.' {
			return "", fmt.Errorf("the key %q needs a dot after a quoted part", key)
		}
		rest = rest[1:]
	}
}

func put(m map[string]any, path string, value any) error {
	parts := strings.Split(path, sep)
	for i, p := range parts[:len(parts)-1] {
		switch next := m[p].(type) {
		case nil:
			n := map[string]any{}
			m[p] = n
			m = n
		case map[string]any:
			m = next
		default:
			return fmt.Errorf("%s is a value, not a group of keys", show(strings.Join(parts[:i+1], sep)))
		}
	}
	m[parts[len(parts)-1]] = value
	return nil
}
