package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"paceline/plugins/policy"
)

// maxPolicy bounds a policy file.
const maxPolicy = 1 << 20

// PolicyFile reads and checks a policy file: YAML, of which JSON is a part.
func PolicyFile(path string) (*policy.Policy, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPolicy+1))
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	return ParsePolicy(path, text)
}

// ParsePolicy reads a policy's text. Every fault is told with the file and its line.
func ParsePolicy(name string, text []byte) (*policy.Policy, error) {
	if len(text) > maxPolicy {
		return nil, fmt.Errorf("%s: more than %d bytes", name, maxPolicy)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s: the policy is empty", name)
	}
	s := strictReader{name: name, lines: map[string]int{}}
	s.visit(doc.Content[0], reflect.TypeFor[policy.Policy](), "")
	if len(s.errs) > 0 {
		return nil, errors.Join(s.errs...)
	}
	var p policy.Policy
	if err := doc.Content[0].Decode(&p); err != nil {
		return nil, s.explain(err)
	}
	for _, f := range p.Faults() {
		s.fail(f.Path, s.line(f.Path), "%s", f.Text)
	}
	return &p, errors.Join(s.errs...)
}

// strictReader holds a YAML tree to a type: keys that the type does not have, keys that are there twice and aliases are
// faults. It notes the line of every value.
type strictReader struct {
	name  string
	lines map[string]int
	errs  []error
}

func (s *strictReader) fail(path string, line int, format string, args ...any) {
	at := fmt.Sprintf("%s:%d", s.name, line)
	if path != "" {
		at += ": " + path
	}
	s.errs = append(s.errs, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}

// line is where the value of a path stands, or the nearest value around it.
func (s *strictReader) line(path string) int {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexAny(p, ".["))] {
		if n, ok := s.lines[p]; ok {
			return n
		}
	}
	return 1
}

func (s *strictReader) visit(n *yaml.Node, t reflect.Type, path string) {
	s.lines[path] = n.Line
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		s.fail(path, n.Line, "anchors and aliases are not taken here")
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		s.fields(n, t, path)
	case t.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		s.pairs(n, path, func(string, int) (reflect.Type, bool) { return t.Elem(), true })
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			s.visit(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case n.Kind != yaml.ScalarNode || t.Kind() == reflect.Struct || t.Kind() == reflect.Map || t.Kind() == reflect.Slice:
		s.fail(path, n.Line, "%s is expected", kindName(t))
	}
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "a group of keys"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a number"
	default:
		return "a text"
	}
}

func (s *strictReader) fields(n *yaml.Node, t reflect.Type, path string) {
	types, names := map[string]reflect.Type{}, []string{}
	for f := range t.Fields() {
		name := f.Tag.Get("yaml")
		types[name] = f.Type
		names = append(names, name)
	}
	slices.Sort(names)
	s.pairs(n, path, func(key string, line int) (reflect.Type, bool) {
		of, ok := types[key]
		if !ok {
			s.fail(dotted(path, key), line, "unknown key%s", nearest(key, names))
		}
		return of, ok
	})
}

func (s *strictReader) pairs(n *yaml.Node, path string, typeOf func(key string, line int) (reflect.Type, bool)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			s.fail(dotted(path, key.Value), key.Line, "no plain key, or there twice")
			continue
		}
		seen[key.Value] = true
		if of, ok := typeOf(key.Value, key.Line); ok {
			s.visit(n.Content[i+1], of, dotted(path, key.Value))
		}
	}
}

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// explain puts the file's name before the lines that the decoder names.
func (s *strictReader) explain(err error) error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) {
		return fmt.Errorf("%s: %s", s.name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	for _, text := range typed.Errors {
		s.errs = append(s.errs, fmt.Errorf("%s:%s", s.name, strings.TrimPrefix(text, "line ")))
	}
	return errors.Join(s.errs...)
}
