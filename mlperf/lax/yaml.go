package lax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// YAML reads one YAML document by the rules of YAML 1.1. An empty document is null.
func YAML(data []byte) (*Value, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &Value{}, nil
		}
		return nil, err
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("it holds more than one document")
		}
		return nil, err
	}
	r := &yamlReader{}
	return r.value(&doc)
}

type yamlReader struct {
	depth, values int
}

func fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

func (r *yamlReader) value(n *yaml.Node) (*Value, error) {
	if r.values++; r.values > maxValues {
		return nil, fault(n, "more than %d values", maxValues)
	}
	if r.depth++; r.depth > maxDepth {
		return nil, fault(n, "nested more than %d deep", maxDepth)
	}
	defer func() { r.depth-- }()
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return &Value{}, nil
		}
		return r.value(n.Content[0])
	case yaml.AliasNode:
		return r.value(n.Alias)
	case yaml.SequenceNode:
		return r.list(n)
	case yaml.MappingNode:
		return r.object(n)
	}
	return scalar(n)
}

func (r *yamlReader) list(n *yaml.Node) (*Value, error) {
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!seq" {
		return nil, fault(n, "the tag %s is not known", n.Tag)
	}
	v := &Value{Kind: List}
	for _, c := range n.Content {
		e, err := r.value(c)
		if err != nil {
			return nil, err
		}
		v.List = append(v.List, e)
	}
	return v, nil
}

func (r *yamlReader) object(n *yaml.Node) (*Value, error) {
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!map" {
		return nil, fault(n, "the tag %s is not known", n.Tag)
	}
	v, index := &Value{Kind: Map}, map[string]int{}
	if err := r.merge(v, index, n); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			continue
		}
		key, err := r.value(n.Content[i])
		if err != nil {
			return nil, err
		}
		if key.Kind == List || key.Kind == Map {
			return nil, fault(n.Content[i], "a list or a map cannot be a key")
		}
		e, err := r.value(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		v.set(index, keyText(key), e)
	}
	return v, nil
}

// keyText keeps a key that is no text apart from one that is: 1 is "(1)".
func keyText(key *Value) string {
	if key.Kind == Text {
		return key.Text
	}
	return "(" + key.String() + ")"
}

func isMerge(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && plain(n) && n.Value == "<<" }

// merge takes over the maps that stand behind <<, the first of several before the later ones.
func (r *yamlReader) merge(v *Value, index map[string]int, n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		from, err := r.value(n.Content[i+1])
		if err != nil {
			return err
		}
		all := []*Value{from}
		if from.Kind == List {
			all = from.List
		}
		for j := len(all) - 1; j >= 0; j-- {
			if all[j].Kind != Map {
				return fault(n.Content[i], "<< wants a map or a list of maps")
			}
			for _, f := range all[j].Fields {
				v.set(index, f.Key, f.Value)
			}
		}
	}
	return nil
}

// plain says whether a scalar has neither quotes nor a tag.
func plain(n *yaml.Node) bool {
	return n.Style&(yaml.TaggedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}
