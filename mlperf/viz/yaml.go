package viz

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// yamlValue reads a document into the values that JSON has. A date stays the text that it is.
func yamlValue(text []byte) (any, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	c := &converter{left: maxNodes}
	return c.value(&doc, 0)
}

// converter turns YAML nodes into plain values, within limits.
type converter struct{ left int }

func (c *converter) value(n *yaml.Node, depth int) (any, error) {
	if c.left--; c.left < 0 || depth > maxDepth {
		return nil, fmt.Errorf("line %d: too large or too deep", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return c.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, err := c.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.ScalarNode:
		return scalar(n), nil
	}
	return nil, nil // an empty document
}

func (c *converter) mapping(n *yaml.Node, depth int) (any, error) {
	d := Document{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, err := c.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		d[n.Content[i].Value] = v
	}
	return d, nil
}

func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true" || n.Value == "True" || n.Value == "TRUE"
	case "!!int", "!!float":
		if number := json.Number(n.Value); json.Valid([]byte(n.Value)) {
			return number
		}
		var v float64
		if n.Decode(&v) == nil && finite(v) {
			return v
		}
		return nil
	}
	return n.Value
}
