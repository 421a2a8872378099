package machine

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"paceline/mlperf/describe"
)

// YAML is the facts as a file for `submit pack --system`, to be laid below the filled template. What the machine did not
// tell stands in it as comments.
func (f *Facts) YAML() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What this machine tells of itself. `runner submit template` has the rest; give this file first:\n" +
		"# runner submit pack DIR --system facts.yaml --system system.yaml\n")
	for _, g := range f.Gaps {
		fmt.Fprintf(&b, "# not told: %s (%s)\n", g.Field, g.Why)
	}
	var node yaml.Node
	if err := node.Encode(f.Node); err != nil {
		return nil, err
	}
	prune(&node)
	var tree yaml.Node
	if err := tree.Encode(map[string]any{"system": map[string]any{"node_types": []*yaml.Node{&node}}}); err != nil {
		return nil, err
	}
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&tree); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	_, err := describe.Parse(b.Bytes())
	return b.Bytes(), err
}

// prune drops what is empty; zero is a value of the ensemble's number alone.
func prune(n *yaml.Node) {
	kept := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		for _, item := range value.Content {
			if item.Kind == yaml.MappingNode {
				prune(item)
			}
		}
		empty := value.Kind == yaml.ScalarNode && (value.Value == "" || value.Value == "0") || value.Kind == yaml.SequenceNode && len(value.Content) == 0
		if !empty || key.Value == "system_node_ensemble_id" {
			kept = append(kept, key, value)
		}
	}
	n.Content = kept
}
