package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"paceline/core/digest"
)

// Digest is of the plan as a value, so that comments and order of keys do not count; regions, which are only drawn, do not either, nor do the points of a search.
func (p *Plan) Digest() (digest.SHA256, error) {
	played := *p
	played.Regions = nil
	if p.Until != nil {
		played.Points = nil // they follow from the results
	}
	text, err := json.Marshal(&played)
	if err != nil {
		return digest.SHA256{}, fmt.Errorf("encode plan: %w", err)
	}
	return digest.Of(text), nil
}

// WriteYAML writes a plan for a person to read and to edit. Values are JSON, which YAML reads.
func (p *Plan) WriteYAML(w io.Writer) error {
	y := yaml{}
	y.line("# A sweep, planned by `runner sweep plan`. It may be edited: `runner sweep THIS-FILE` checks it and plays it.")
	y.line("# schemas/sweep/v1 describes every key.")
	y.value("schema", p.Schema)
	if p.Run != "" {
		y.value("run", p.Run)
	}
	if len(p.Set) > 0 {
		y.value("set", p.Set)
	}
	y.rules(p.Rules)
	y.line("# What empties the target's prefix cache: none, vllm, sglang, \"cmd COMMAND\" or \"restart COMMAND\".")
	y.value("between_points", p.Between)
	y.value("axes", p.Axes)
	if e := p.Expected; e != nil {
		y.line("# A guess: " + hours(e.Seconds) + " in all.")
		y.value("expected", e)
	}
	if len(p.Regions) > 0 {
		y.line("# Ranges of concurrency, for the drawing.")
		y.line("regions:")
		for _, r := range p.Regions {
			y.line("  - " + y.json(r))
		}
	}
	if p.Until != nil {
		y.line("# Each point follows from the results of those before it; points below has the first.")
		y.value("until", p.Until)
	}
	y.line("# In the order of playing.")
	y.line("points:")
	for _, x := range p.Points {
		y.item(x)
	}
	if y.err != nil {
		return fmt.Errorf("write plan: %w", y.err)
	}
	_, err := w.Write(y.b.Bytes())
	return err
}

type yaml struct {
	b   bytes.Buffer
	err error
}

func (y *yaml) line(text string) { y.b.WriteString(text + "\n") }

func (y *yaml) json(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && y.err == nil {
		y.err = err
	}
	return strings.TrimSpace(b.String())
}

func (y *yaml) value(key string, v any) { y.line(key + ": " + y.json(v)) }

func (y *yaml) rules(r *Rules) {
	if r == nil {
		return
	}
	y.line("rules:")
	y.line("  name: " + y.json(r.Name))
	y.line("  settings: " + y.json(r.Settings))
}

func (y *yaml) item(x PlannedPoint) {
	text := "  - " + y.json(x)
	if x.Expected > 0 {
		text += " # " + hours(x.Expected)
	}
	y.line(text)
}

func hours(seconds int64) string {
	return fmt.Sprintf("%.1f hours", (time.Duration(seconds) * time.Second).Hours())
}
