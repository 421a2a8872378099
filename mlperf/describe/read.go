package describe

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Template is the file to fill in.
//
//go:embed template.yaml
var Template []byte

// maxFile bounds one file, and maxDepth how deep what it says may be nested.
const (
	maxFile  = 1 << 20
	maxDepth = 20
)

// Read reads files over each other, the last one highest; overlay tells how.
func Read(paths ...string) (*Description, error) {
	text, err := Join(paths...)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Join is the text of files laid over each other.
func Join(paths ...string) ([]byte, error) {
	all := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, path := range paths {
		one, err := readOne(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if one != nil {
			overlay(all, one)
		}
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("join descriptions: %w", err)
	}
	return text, nil
}

// readOne reads one file and holds its keys to those of a description; nil: it says nothing.
func readOne(path string) (*yaml.Node, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	if _, err := Parse(text); err != nil {
		return nil, err
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(text, &tree); err != nil || len(tree.Content) == 0 {
		return nil, err
	}
	if tree.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("want keys with their values")
	}
	return tree.Content[0], nil
}

// Parse reads one document.
func Parse(text []byte) (*Description, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, plain(err)
	}
	if err := shallow(&tree, 0); err != nil {
		return nil, err
	}
	var d Description
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil && !errors.Is(err, io.EOF) {
		return nil, plain(err)
	}
	return &d, nil
}

// shallow refuses what is nested too deep, and aliases, which may stand for very much.
func shallow(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: nested deeper than %d", n.Line, maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return fmt.Errorf("line %d: aliases are not read; write the value out", n.Line)
	}
	for _, c := range n.Content {
		if err := shallow(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var ofType = regexp.MustCompile(` (not found )?in(to)? (type )?[\[\]*]*(map\[int\])?(describe|provision)\.\w+`)

// plain takes the names of our types out of an error.
func plain(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.Replace(text, "unmarshal errors:\n ", "", 1)
	return errors.New(strings.TrimSpace(ofType.ReplaceAllStringFunc(text, func(s string) string {
		if strings.Contains(s, "not found") {
			return " is not known; `runner submit template` shows every field"
		}
		return ""
	})))
}

// overlay puts what the map from says over what into says. Lists of maps are laid over each other item by item; a value that
// says nothing (empty, zero or null) leaves what was there, so that a template with gaps may lie over a machine's facts.
func overlay(into, from *yaml.Node) {
	for i := 0; i+1 < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		at := place(into, key.Value)
		if at < 0 {
			into.Content = append(into.Content, key, value)
			continue
		}
		into.Content[at] = over(into.Content[at], value)
	}
}

// over is what two values say together, the second one first.
func over(had, value *yaml.Node) *yaml.Node {
	switch {
	case silent(value):
		return had
	case had.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
		overlay(had, value)
		return had
	case mappings(had) && mappings(value):
		for i, item := range value.Content {
			if i < len(had.Content) {
				overlay(had.Content[i], item)
			} else {
				had.Content = append(had.Content, item)
			}
		}
		return had
	}
	return value
}

// silent reports whether a value says nothing.
func silent(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Value == "" || n.Value == "0" || n.Tag == "!!null"
	}
	return len(n.Content) == 0
}

// mappings reports whether a value is a list of maps.
func mappings(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return c.Kind != yaml.MappingNode })
}

// place is where the value of a key stands in a map, below 0 where it has none.
func place(of *yaml.Node, key string) int {
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// Set changes single texts of a description: pairs of a key, with dots between its parts, and a value; an empty value changes
// nothing.
func Set(text []byte, pairs ...string) ([]byte, error) {
	over := &yaml.Node{}
	if err := yaml.Unmarshal(text, over); err != nil {
		return nil, plain(err)
	}
	if len(over.Content) == 0 {
		over = &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: pairs[i+1]}
		parts := strings.Split(pairs[i], ".")
		for _, part := range slices.Backward(parts) {
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: part}, value}}
		}
		overlay(over.Content[0], value)
	}
	return yaml.Marshal(over.Content[0])
}
