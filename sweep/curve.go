package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"paceline/core/stats"
	"paceline/sweep/chart"
)

// Files of a sweep folder with the drawing of its curve.
const (
	CurveFile = "curve.svg"
	PageFile  = "curve.html"
)

// Earlier is another sweep, drawn behind the curve.
type Earlier struct {
	Name   string
	Report *Report
}

// maxReport bounds the report of an earlier sweep, which is anybody's.
const maxReport = 64 << 20

// ReadEarlier reads the report of a sweep folder.
func ReadEarlier(dir string) (*Earlier, error) {
	path := filepath.Join(dir, reportFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read earlier sweep: %w", err)
	}
	if info.Size() > maxReport {
		return nil, fmt.Errorf("read %s: it has %d bytes; at most %d are read", path, info.Size(), maxReport)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read earlier sweep: %w", err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if r.Schema != ReportSchema {
		return nil, fmt.Errorf("read %s: schema %q, want %s: give the folder of a sweep", path, r.Schema, ReportSchema)
	}
	return &Earlier{Name: filepath.Base(filepath.Clean(dir)), Report: &r}, nil
}

// Curve is the report as it is drawn. A sweep on other axes cannot lie behind it.
func (r *Report) Curve(earlier ...*Earlier) (chart.Curve, error) {
	c := chart.Curve{Title: r.title(), Notes: r.drawnNotes(), X: axisOf(r.Axes.X), Y: axisOf(r.Axes.Y)}
	names := map[string]string{}
	for _, g := range r.Regions {
		names[g.Name] = cmp.Or(g.Title, g.Name)
		if g.Last >= g.First {
			c.Regions = append(c.Regions, chart.Region{Name: names[g.Name], First: g.First, Last: g.Last, Margin: g.Margin})
		}
	}
	c.Points = r.drawn(names)
	for _, e := range earlier {
		if e.Report.Axes != r.Axes {
			return c, fmt.Errorf("%s has the axes %s and %s, this sweep %s and %s: they do not lie on one drawing",
				e.Name, e.Report.Axes.X, e.Report.Axes.Y, r.Axes.X, r.Axes.Y)
		}
		c.Overlays = append(c.Overlays, chart.Overlay{Name: e.Name, Points: e.Report.drawn(names)})
	}
	return c, nil
}

func (r *Report) title() string {
	switch {
	case r.Model == "":
		return "Sweep"
	case r.Preset == "":
		return r.Model
	}
	return r.Model + ", " + r.Preset
}

// maxNotes leaves room for what else is noted.
const maxNotes = 32

func (r *Report) drawnNotes() []string {
	n := r.Summary
	list := []string{fmt.Sprintf("%d of %d points done, %d passed", n.Done, n.Planned, n.Passed)}
	if r.Rules != "" {
		list = append(list, "rules "+r.Rules)
	}
	if len(r.Notes) > 0 {
		list = append(list, fmt.Sprintf("a rehearsal, no result: the rules refuse %d things, see report.txt", len(r.Notes)))
	}
	if r.SetupsDiffer {
		list = append(list, "the points were not played under one configuration")
	}
	for _, why := range r.Unofficial {
		list = append(list, "unofficial: "+why)
	}
	return list[:min(len(list), maxNotes)]
}

// drawn are the points of a report; one that is not done is told, not drawn.
func (r *Report) drawn(regions map[string]string) []chart.Point {
	var list []chart.Point
	for i := range r.Points {
		row := &r.Points[i]
		p := chart.Point{Concurrency: row.Concurrency, X: pointer(row.X.Value), Y: pointer(row.Y.Value), Region: cmp.Or(regions[row.Region], row.Region),
			Missing: cmp.Or(row.X.Reason, row.Y.Reason), Facts: row.facts()}
		if row.Reason != "" {
			p.Missing = string(row.State) + ", " + row.Reason
		}
		for _, c := range r.distinct(row) {
			if c.Held == Passed || c.Held == NotHeld {
				p.Verdicts = append(p.Verdicts, chart.Verdict{Name: c.Name, Passed: c.Held == Passed, Text: c.Text})
			}
		}
		list = append(list, p)
	}
	return list
}

// maxChecks bounds what is told of a point in the drawing; report.txt tells the rest.
const maxChecks = 40

// distinct are a point's checks without what the preset's thresholds say once more: a judge's own verdict, and the duration.
func (r *Report) distinct(row *Row) []Check {
	held := map[string]Held{}
	for _, c := range row.Checks {
		held[c.Name] = c.Held
	}
	var list []Check
	for _, c := range row.Checks {
		name, ofPreset := strings.CutPrefix(c.Name, r.Preset+" ")
		judge, _, _ := strings.Cut(name, " ")
		if ofPreset = ofPreset && r.Preset != ""; ofPreset && (held[judge] == c.Held || name == durationFigure && held[durationCheck] == c.Held) {
			continue
		}
		if ofPreset {
			c.Name = name
		}
		list = append(list, c)
	}
	return list[:min(len(list), maxChecks)]
}

func pointer(n stats.Num) *float64 {
	v, ok := n.Get()
	if !ok {
		return nil
	}
	return &v
}

// writeCurve draws the curve into the sweep's folder.
func writeCurve(dir string, r *Report, earlier []*Earlier) error {
	c, err := r.Curve(earlier...)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		draw func(chart.Curve) ([]byte, error)
	}{{CurveFile, chart.SVG}, {PageFile, chart.HTML}} {
		text, err := f.draw(c)
		if err != nil {
			return err
		}
		if err := whole(filepath.Join(dir, f.name), text); err != nil {
			return err
		}
	}
	return nil
}
