package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"paceline/core/digest"
)

// RunSchema is the schema of run.json.
const RunSchema = "run/v1"

// WriteRunConfig writes run.json into dir, whole, and returns the digest of its bytes, which every segment's head carries.
// An empty Schema is filled in.
func WriteRunConfig(dir string, c *RunConfig) (digest.SHA256, error) {
	full := *c
	if full.Schema == "" {
		full.Schema = RunSchema
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&full); err != nil {
		return digest.SHA256{}, fmt.Errorf("encode %s: %w", RunFile, err)
	}
	err := WriteWhole(filepath.Join(dir, RunFile), func(w io.Writer) error {
		_, err := w.Write(buf.Bytes())
		return err
	})
	return digest.Of(buf.Bytes()), err
}

// ReadRunConfig reads run.json of dir and returns the digest of its bytes beside it.
func ReadRunConfig(dir string) (*RunConfig, digest.SHA256, error) {
	path := filepath.Join(dir, RunFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, digest.SHA256{}, fmt.Errorf("read run: %w", err)
	}
	var c RunConfig
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, digest.SHA256{}, fmt.Errorf("read %s: %w", path, err)
	}
	if c.Schema != RunSchema {
		return nil, digest.SHA256{}, fmt.Errorf("read %s: schema %q is not known, want %s", path, c.Schema, RunSchema)
	}
	return &c, digest.Of(data), nil
}

// All lists the workloads of the run: the one, or those that are mixed.
func (c *RunConfig) All() []Workload {
	if len(c.Workloads) > 0 {
		return c.Workloads
	}
	return []Workload{c.Workload}
}

// Mixed reports whether the run mixes several workloads.
func (c *RunConfig) Mixed() bool { return len(c.Workloads) > 0 }

// ComponentName is the full name of the workload's component.
func (w *Workload) ComponentName() string {
	if w.Component != "" {
		return w.Component
	}
	return w.Name
}
