package viz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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
