package viz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Versions of the bundle and of the layout of packages.
const (
	bundleVersion = 1
	formatVersion = "1.0"
)

// ErrNoCurve is returned where no folder results/<system>/<model>/r<N> lies below the root.
var ErrNoCurve = errors.New("no results/<system>/<model>/r<N> in it")

// Bundle is what the visualizer loads as /cli-data.json.
type Bundle struct {
	Version     int          `json:"bundle_version"`
	Format      string       `json:"format_version"`
	GeneratedAt string       `json:"generated_at"` // always empty: no clock is read
	Generator   string       `json:"generator"`    // who wrote the bundle; the page ignores it
	SourceRoot  string       `json:"source_root"`
	Warnings    []string     `json:"warnings"`
	Submissions []Submission `json:"submissions"`
	Runs        []Run        `json:"runs"`
}

// Submission is one curve: one system, one model.
type Submission struct {
	ID         string              `json:"id"`
	SourcePath string              `json:"source_path"`
	Combined   map[string]Document `json:"combined_submission"`
}

// Run is one point of a curve.
type Run struct {
	Submission string `json:"submission_id"`
	Label      string `json:"label"`
	Fields     Fields `json:"run"`
}

// Fields are the figures of a point: those that its files hold, and those that follow from them.
type Fields struct {
	Direct  Document `json:"direct_fields"`
	Derived Document `json:"derived_fields"`
}

// Document is a JSON object of any shape.
type Document = map[string]any

// Build reads every curve below the root of files. Name stands for the root in the bundle, and generator for the program.
func Build(files fs.FS, name, generator string) (*Bundle, error) {
	curves, err := discover(files)
	if err != nil {
		return nil, err
	}
	if len(curves) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoCurve)
	}
	b := &Bundle{Version: bundleVersion, Format: formatVersion, Generator: generator, SourceRoot: name,
		Warnings: []string{}, Submissions: []Submission{}, Runs: []Run{}}
	for _, c := range curves {
		b.add(files, c)
	}
	if len(b.Runs) == 0 {
		return nil, fmt.Errorf("%s: no point can be read: %s", name, b.Warnings[0])
	}
	return b, nil
}

func (b *Bundle) warn(at, format string, args ...any) {
	b.Warnings = append(b.Warnings, at+": "+fmt.Sprintf(format, args...))
}

// add reads one curve. The first point that can be read describes the system; the name of the system, which stands in the chart
// and in its footnote, also tells which clients have measured.
func (b *Bundle) add(files fs.FS, c curve) {
	r := &reader{files: files, warn: b.warn}
	power := r.power(path.Join(c.system(), "system_power.json"))
	var system Document
	var clients []string
	for _, p := range c.points {
		point, ok := r.point(path.Join(c.dir, p))
		if !ok {
			continue
		}
		if system == nil {
			s := Submission{ID: c.id(), SourcePath: c.short(), Combined: combined(r, c, point, power)}
			system = s.Combined["sut_metadata"]
			b.Submissions = append(b.Submissions, s)
		}
		if name := clientName(point); name != "" && !slices.Contains(clients, name) {
			clients = append(clients, name)
		}
		b.Runs = append(b.Runs, Run{Submission: c.id(), Label: p, Fields: Fields{Direct: direct(point, power), Derived: derived(point, power)}})
	}
	if len(clients) > 0 {
		system["system_name"] = strings.TrimSpace(text(system["system_name"]) + " (client: " + strings.Join(clients, ", ") + ")")
	}
}

// JSON is the bundle as a file. Equal bundles give equal bytes.
func (b *Bundle) JSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(b); err != nil {
		return nil, fmt.Errorf("write the visualizer's bundle: %w", err)
	}
	return out.Bytes(), nil
}
