package span

import (
	"slices"
	"strconv"
	"strings"

	"paceline/workloads/rawjson"
)

// Node is what attributes with numbered names hold under one name: a value, or more names below it, as in
// llm.input_messages.0.message.role.
type Node struct {
	Value rawjson.Value
	names []string
	below map[string]*Node
}

// maxNodes bounds the nodes of one span.
const maxNodes = 1_000_000

// Tree gathers the attributes whose names begin with a prefix, which ends in a dot.
func (a Attributes) Tree(prefix string) *Node {
	root := &Node{}
	for i, n := 0, 0; i < len(a) && n < maxNodes; i++ {
		rest, ok := strings.CutPrefix(a[i].Key, prefix)
		if !ok {
			continue
		}
		at := root
		for step := range strings.SplitSeq(rest, ".") {
			at = at.child(step)
			n++
		}
		at.Value = a[i].Value
	}
	return root
}

func (n *Node) child(name string) *Node {
	c := n.below[name]
	if c == nil {
		c = &Node{}
		if n.below == nil {
			n.below = map[string]*Node{}
		}
		n.below[name] = c
		n.names = append(n.names, name)
	}
	return c
}

// Get gives the node at a path of names; an empty node where there is none.
func (n *Node) Get(path ...string) *Node {
	for _, name := range path {
		if n = n.below[name]; n == nil {
			return &Node{}
		}
	}
	return n
}

// Text gives the text at a path.
func (n *Node) Text(path ...string) string {
	text, _ := n.Get(path...).Value.Text()
	return text
}

// List gives the nodes under numbers, in the order of the numbers.
func (n *Node) List() []*Node {
	var numbers []int
	for _, name := range n.names {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 {
			numbers = append(numbers, i)
		}
	}
	slices.Sort(numbers)
	var out []*Node
	for _, i := range slices.Compact(numbers) {
		if c := n.below[strconv.Itoa(i)]; c != nil {
			out = append(out, c)
		}
	}
	return out
}
