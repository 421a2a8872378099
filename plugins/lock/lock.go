package lock

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"paceline/core/digest"
	"paceline/plugins/strict"
)

// FileName is the lock's name beside a run file and in a run's folder.
const FileName = "paceline.lock"

// Schema names the lock's format.
const Schema = "paceline/lock/v1"

// Lock is everything that a run is held to.
type Lock struct {
	Schema  string   `json:"schema"`
	Engine  Engine   `json:"engine"`
	Plugins []Plugin `json:"plugins"` // sorted by name
	Inputs  []Input  `json:"inputs"`  // sorted by component and name
}

// Engine is what runs wasm plugins.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Mode    string `json:"mode"` // compiler or interpreter
}

// Plugin pins one plugin.
type Plugin struct {
	Name     string       `json:"name"`   // as the run file names it: source/plugin, or a path
	Source   string       `json:"source"` // std, file, layout@sha256:HEX, or oci://HOST/NAME:TAG@sha256:HEX
	Version  string       `json:"version"`
	Files    []File       `json:"files"`             // sorted by name
	Native   bool         `json:"native,omitempty"`  // an executable that is allowed to run, outside of the sandbox
	Granted  []Capability `json:"granted,omitempty"` // sorted
	Limits   Limits       `json:"limits"`
	Signers  []Signer     `json:"signers,omitempty"` // sorted
	Official bool         `json:"official"`          // false: taken by --dev-plugin
}

// File is one file of a plugin.
type File struct {
	Name   string        `json:"name"`
	Size   int64         `json:"size"`
	SHA256 digest.SHA256 `json:"sha256"`
}

// Signer is one who signed the plugin.
type Signer struct {
	Scheme   string `json:"scheme"`
	Key      string `json:"key"`                // of ed25519: the public key in hex
	Envelope []byte `json:"envelope,omitempty"` // the signature itself, so that it can be checked offline
}

// Input pins one input of a component.
type Input struct {
	Component string        `json:"component"` // full name, or the name that a run of several workloads gives it
	Name      string        `json:"name"`
	Size      int64         `json:"size"`
	SHA256    digest.SHA256 `json:"sha256"`
}

// Parse reads a lock strictly and checks it.
func Parse(data []byte) (*Lock, error) {
	if err := schemaOf(data, Schema); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	var l Lock
	if err := decodeStrict(data, &l); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := l.Check(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := strict.Form(data, &l); err != nil {
		return nil, fmt.Errorf("lock: %w; `runner plugin lock` writes it anew", err)
	}
	return &l, nil
}

// Check lists every fault: order, double entries, missing fields and limits out of range.
func (l *Lock) Check() error {
	var faults faults
	if l.Engine.Name == "" || l.Engine.Version == "" || l.Engine.Mode == "" {
		faults.add("engine: name, version and mode are needed")
	}
	for i, p := range l.Plugins {
		if i > 0 && l.Plugins[i-1].Name >= p.Name {
			faults.add("plugins[%d]: %s is out of order or there twice", i, p.Name)
		}
		p.check(&faults, i)
	}
	for i, in := range l.Inputs {
		if in.Component == "" || in.Name == "" || in.Size < 0 {
			faults.add("inputs[%d]: component, name and size are needed", i)
		}
		if i > 0 && compareInputs(l.Inputs[i-1], in) >= 0 {
			faults.add("inputs[%d]: %s %s is out of order or there twice", i, in.Component, in.Name)
		}
	}
	return faults.err()
}

func (p *Plugin) check(faults *faults, i int) {
	if p.Name == "" || p.Source == "" || len(p.Files) == 0 {
		faults.add("plugins[%d]: name, source and files are needed", i)
	}
	if err := p.Limits.Check(); err != nil {
		faults.add("plugins[%d].limits: %w", i, err)
	}
	for j, f := range p.Files {
		if f.Size < 0 || j > 0 && p.Files[j-1].Name >= f.Name {
			faults.add("plugins[%d].files[%d]: out of order, there twice or of no size", i, j)
		}
	}
	for j := 1; j < len(p.Signers); j++ {
		if compareSigners(p.Signers[j-1], p.Signers[j]) >= 0 {
			faults.add("plugins[%d].signers[%d]: out of order or there twice", i, j)
		}
	}
	if !sortedUnique(p.Granted) {
		faults.add("plugins[%d].granted: not sorted, or one twice", i)
	}
}

// Encode sorts the lock and writes it: equal content gives equal bytes.
func (l *Lock) Encode() ([]byte, error) {
	c := l.sorted()
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return encodeStable(c)
}

func (l *Lock) sorted() *Lock {
	c := *l
	c.Schema = Schema
	c.Plugins = append([]Plugin{}, l.Plugins...)
	for i := range c.Plugins {
		p := &c.Plugins[i]
		p.Files, p.Granted, p.Signers = slices.Clone(p.Files), slices.Clone(p.Granted), slices.Clone(p.Signers)
		slices.SortFunc(p.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		slices.Sort(p.Granted)
		slices.SortFunc(p.Signers, compareSigners)
	}
	slices.SortFunc(c.Plugins, func(a, b Plugin) int { return cmp.Compare(a.Name, b.Name) })
	c.Inputs = append([]Input{}, l.Inputs...)
	slices.SortFunc(c.Inputs, compareInputs)
	return &c
}

func compareSigners(a, b Signer) int {
	return cmp.Or(cmp.Compare(a.Scheme, b.Scheme), cmp.Compare(a.Key, b.Key))
}

func compareInputs(a, b Input) int {
	return cmp.Or(cmp.Compare(a.Component, b.Component), cmp.Compare(a.Name, b.Name))
}

// Read reads the lock file at path. Where there is none, it gives nil and no error.
func Read(path string) (*Lock, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Write puts the lock at path whole: it is written beside it, synced and renamed. A file that has these bytes already is
// left alone.
func (l *Lock) Write(path string) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
