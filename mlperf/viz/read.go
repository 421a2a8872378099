package viz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"
)

// Limits of a file of a package.
const (
	maxFile  = 16 << 20
	maxNodes = 200_000 // of a YAML document, aliases followed
	maxDepth = 64
)

var errMissing = errors.New("missing")

// reader reads the files of a package and tells what it could not read.
type reader struct {
	files fs.FS
	warn  func(at, format string, args ...any)
}

// pointFiles are the parsed files of one point. What is missing is nil.
type pointFiles struct {
	dir                             string
	summary, system, config, params Document
	accuracy                        any
}

// point reads the files of one point. Without result_summary.json there is no point.
func (r *reader) point(dir string) (pointFiles, bool) {
	p := pointFiles{dir: dir}
	if p.summary = r.object(path.Join(dir, "result_summary.json"), jsonValue, true); p.summary == nil {
		return p, false
	}
	p.system = r.object(path.Join(dir, "system_desc.json"), jsonValue, true)
	p.params = r.object(path.Join(dir, "point.yaml"), yamlValue, true)
	p.config = r.object(path.Join(dir, "config.yaml"), yamlValue, false)
	p.accuracy = r.value(path.Join(dir, "accuracy_results.json"), jsonValue, false)
	return p, true
}

// object reads a file that holds a map; nil is none.
func (r *reader) object(name string, parse func([]byte) (any, error), needed bool) Document {
	v := r.value(name, parse, needed)
	d, ok := v.(Document)
	if v != nil && !ok {
		r.warn(name, "not a map of fields")
	}
	return d
}

func (r *reader) value(name string, parse func([]byte) (any, error), needed bool) any {
	text, err := r.file(name)
	if errors.Is(err, errMissing) && !needed {
		return nil
	}
	var v any
	if err == nil {
		v, err = parse(text)
	}
	if err != nil {
		r.warn(name, "%v", err)
		return nil
	}
	return v
}

func (r *reader) file(name string) ([]byte, error) {
	f, err := r.files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMissing
	}
	if err != nil {
		return nil, errors.New("cannot be opened")
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	return text, nil
}

// jsonValue keeps the text of numbers.
func jsonValue(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON document")
	}
	return v, nil
}

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
