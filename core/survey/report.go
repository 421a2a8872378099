package survey

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"paceline/core/engine"
)

// Report is what is told of a target that was asked for its own sake.
type Report struct {
	Endpoint     string           `json:"endpoint"` // of chat requests, without secrets
	Model        string           `json:"model"`
	Engine       engine.Detection `json:"engine"`
	Mismatch     string           `json:"mismatch,omitempty"` // where the target is another engine than it is said to be
	Capabilities []engine.Finding `json:"capabilities"`
	Between      string           `json:"between_points,omitempty"` // the preset of sweeps that empties its prefix cache
}

// Report tells what was found; named is the engine that the target is said to be.
func (s *Survey) Report(url, model string, named engine.Kind) *Report {
	r := &Report{Endpoint: url, Model: model, Engine: s.Detection, Capabilities: s.Findings, Between: s.Detection.Kind.BetweenPoints()}
	if named != engine.Unknown && s.Detection.Kind != named {
		r.Mismatch = fmt.Sprintf("it is said to be %s", named.Title())
	}
	return r
}

// Missing names what the target lacks, a wrong engine included. An order that empties the cache is not counted where the
// engine never has one: a sweep starts such a server anew.
func (r *Report) Missing() []string {
	var names []string
	if r.Mismatch != "" {
		names = append(names, "the engine that it is said to be")
	}
	for _, f := range r.Capabilities {
		never := f.Capability == engine.CacheFlush && r.Between == ""
		if f.State == engine.No && !never {
			names = append(names, f.Capability.Name())
		}
	}
	return names
}

// WriteJSON writes the report as the member target of an object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]*Report{"target": r})
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "%-15s%s\n", name, text) }
	line("endpoint", r.Endpoint)
	line("model", r.Model)
	line("engine", r.engine())
	if len(r.Engine.By) > 0 {
		line("  told by", strings.Join(r.Engine.By, "; "))
	}
	if r.Mismatch != "" {
		line("  but", r.Mismatch)
	}
	b.WriteString("\n")
	for _, f := range r.Capabilities {
		line(f.Capability.Name(), fmt.Sprintf("%-9s%s", f.State, f.Detail))
		if f.Mend != "" {
			line("", "mend: "+f.Mend)
		}
	}
	if r.Between != "" {
		fmt.Fprintf(&b, "\nsweeps: --between-points %s empties its prefix cache between the points\n", r.Between)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) engine() string {
	d := &r.Engine
	text := strings.TrimSpace(d.Kind.Title() + " " + d.Version)
	if d.Kind == engine.Unknown && d.Version != "" {
		text = d.Kind.Title() + ", version " + d.Version
	}
	if d.Program != "" {
		text += " (" + string(d.Program) + ")"
	}
	return text
}
