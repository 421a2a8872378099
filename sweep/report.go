package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/sweep/cache"
)

// ReportSchema is the schema of a sweep's report.json.
const ReportSchema = "sweep-report/v1"

// Facts are the figures of a point that sweep.json repeats.
type Facts struct {
	X      stats.Num `json:"x"`
	Y      stats.Num `json:"y"`
	Passed bool      `json:"passed"`
	Failed []string  `json:"failed_checks"`
}

// Report is the report of a sweep: a function of its state and of the reports of its points.
type Report struct {
	Schema  string   `json:"schema"`
	Rules   string   `json:"rules,omitempty"`
	Preset  string   `json:"preset,omitempty"` // of the first point that is done
	Model   string   `json:"model,omitempty"`  // that the target served, likewise
	Axes    Axes     `json:"axes"`
	Regions []Region `json:"regions,omitempty"`
	Notes   []string `json:"notes"`
	// Unofficial is what points say against themselves, each once.
	Unofficial []string `json:"unofficial,omitempty"`
	Summary    Summary  `json:"summary"`
	// SetupsDiffer says that points were not played under one configuration, which a curve must be.
	SetupsDiffer bool   `json:"setups_differ"`
	Points       []Row  `json:"points"`
	Found        *Found `json:"found,omitempty"` // of a search
}

// Summary counts points.
type Summary struct {
	Planned    int `json:"planned"`
	Done       int `json:"done"`
	Passed     int `json:"passed"` // of those that are done
	Failed     int `json:"failed"`
	Incomplete int `json:"incomplete"`
	Pending    int `json:"pending"` // or running
}

// Row is one point. Figures are those of a point that is done.
type Row struct {
	Concurrency int            `json:"concurrency"`
	Region      string         `json:"region,omitempty"`
	Spare       bool           `json:"spare"`
	Accuracy    bool           `json:"accuracy"`
	MinSeconds  int64          `json:"min_seconds"`
	Folder      string         `json:"folder"`
	State       PointState     `json:"state"`
	Reason      string         `json:"reason,omitempty"`
	Attempts    int            `json:"attempts"`
	Report      *digest.SHA256 `json:"report_sha256,omitempty"`
	Passed      bool           `json:"passed"`
	X           metrics.Figure `json:"x"`
	Y           metrics.Figure `json:"y"`
	Figures     []Figure       `json:"figures"`
	Scores      []Score        `json:"scores"`
	Cache       *cache.Verdict `json:"cache,omitempty"`
	Checks      []Check        `json:"checks"`
	// Setup is a digest of what a curve's points must have in common: model, endpoint, plugins, inputs, scheme of salts, parameters,
	// load but for its users and passes.
	Setup *digest.SHA256 `json:"setup_sha256,omitempty"`
}

// Figure is one figure by its place in schemas/metrics/v1.
type Figure struct {
	Name string `json:"name"`
	metrics.Figure
}

// Score is what a scorer told.
type Score struct {
	Name      string    `json:"name"`
	Value     stats.Num `json:"score"`
	Threshold stats.Num `json:"threshold"`
	Complete  bool      `json:"complete"`
}

// shown are the figures of a row, beside the axes.
var shown = []string{
	"mlperf.system_tps", "mlperf.e2e_avg_interactivity", "mlperf.tps_per_user", "mlperf.ttft_p90_ms", "mlperf.tpot_p90_ms",
	"mlperf.mean_output_tokens", durationFigure, "mlperf.issued", "mlperf.failed",
	"throughput.output_tokens_per_second", "throughput.turns_per_second", "per_user.output_tokens_per_second",
	"turns.ttft_ms.p50", "turns.ttft_ms.p90", "turns.ttft_ms.p99", "turns.tpot_ms.p50", "turns.tpot_ms.p90",
	"trajectories.latency_ms.p50", "cache.measured_hit_rate", "failures.planned_turns", "failures.failed_turns",
}

// Build makes the report. results has the report of each point that is done, by its folder.
func Build(s *State, results map[string]*report.Result) *Report {
	r := &Report{Schema: ReportSchema, Axes: s.Plan.Axes, Regions: s.Plan.Regions, Notes: s.Notes, Points: []Row{}}
	if s.Plan.Rules != nil {
		r.Rules = s.Plan.Rules.Name
	}
	var setup *digest.SHA256
	shared := sharedBy(results)
	for i := range s.Points {
		result := results[s.Points[i].Folder]
		row := s.row(i, result)
		if result != nil {
			row.Setup = setupOf(result, shared)
		}
		r.tell(result)
		r.Summary.add(&row)
		if row.Setup != nil {
			r.SetupsDiffer = r.SetupsDiffer || setup != nil && *setup != *row.Setup
			setup = row.Setup
		}
		r.Points = append(r.Points, row)
	}
	r.Found = s.found(r.Points)
	return r
}

// tell takes what a point's report says of the whole sweep; nil: it has none.
func (r *Report) tell(result *report.Result) {
	if result == nil {
		return
	}
	if r.Model = cmp.Or(r.Model, result.What.Model); r.Preset == "" && result.Preset != nil {
		r.Preset = result.Preset.Name
	}
	for _, why := range result.Unofficial {
		if !slices.Contains(r.Unofficial, why) {
			r.Unofficial = append(r.Unofficial, why)
		}
	}
}

func (n *Summary) add(row *Row) {
	n.Planned++
	switch row.State {
	case Done:
		n.Done++
		if row.Passed {
			n.Passed++
		}
	case Failed:
		n.Failed++
	case Incomplete:
		n.Incomplete++
	default:
		n.Pending++
	}
}

// row is the row of a point; result is nil where it is not done.
func (s *State) row(i int, result *report.Result) Row {
	p, plan := &s.Points[i], &s.Plan.Points[i]
	row := Row{
		Concurrency: p.Concurrency, Region: plan.Region, Spare: plan.Spare, Accuracy: plan.Accuracy, MinSeconds: plan.MinSeconds,
		Folder: p.Folder, State: p.State, Reason: p.Reason, Attempts: len(p.Attempts), Report: p.ReportSHA256, Cache: p.Cache,
		Figures: []Figure{}, Scores: []Score{}, Checks: []Check{},
	}
	if p.State != Done || result == nil || result.Metrics == nil {
		row.X.Reason, row.Y.Reason = string(p.State), string(p.State)
		return row
	}
	row.X, row.Y = figure(result.Metrics, s.Plan.Axes.X), figure(result.Metrics, s.Plan.Axes.Y)
	for _, name := range shown {
		row.Figures = append(row.Figures, Figure{name, figure(result.Metrics, name)})
	}
	for i := range result.Scores {
		x := &result.Scores[i]
		row.Scores = append(row.Scores, Score{x.Name, x.Value, x.Threshold, x.Complete})
	}
	row.Checks = checks(p, plan, result)
	row.Passed = true
	for _, c := range row.Checks {
		row.Passed = row.Passed && c.Held != NotHeld
	}
	return row
}

func (s *State) facts(i int, result *report.Result) *Facts {
	row := s.row(i, result)
	f := &Facts{X: row.X.Value, Y: row.Y.Value, Passed: row.Passed, Failed: []string{}}
	for _, c := range row.Checks {
		if c.Held == NotHeld {
			f.Failed = append(f.Failed, c.Name)
		}
	}
	return f
}

func figure(m *metrics.Metrics, path string) metrics.Figure {
	n, reason, known := m.Lookup(path)
	if !known {
		reason = "the metrics have no such figure"
	}
	return metrics.Figure{Value: n, Reason: reason}
}

// Reports is the report of a sweep, as a value and as the bytes of its files.
type Reports struct {
	Report     *Report
	JSON, Text []byte
}

// WriteReport reads the reports of the points that are done and writes report.json and report.txt of the sweep, and its curve as
// curve.svg and curve.html, with earlier sweeps behind it. The same files give the same bytes.
func WriteReport(dir string, s *State, earlier ...*Earlier) (*Reports, error) {
	results := map[string]*report.Result{}
	for i := range s.Points {
		p := &s.Points[i]
		if p.State != Done {
			continue
		}
		if err := p.unchanged(dir); err != nil {
			return nil, err
		}
		r, err := readReport(filepath.Join(dir, p.Folder, reportFile))
		if err != nil {
			return nil, err
		}
		results[p.Folder] = r
	}
	out := &Reports{Report: Build(s, results)}
	var text, raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(out.Report); err != nil {
		return nil, fmt.Errorf("write report of %s: %w", dir, err)
	}
	writeText(&text, out.Report)
	out.JSON, out.Text = raw.Bytes(), text.Bytes()
	if err := whole(filepath.Join(dir, reportFile), out.JSON); err != nil {
		return out, err
	}
	if err := whole(filepath.Join(dir, "report.txt"), out.Text); err != nil {
		return out, err
	}
	return out, writeCurve(dir, out.Report, earlier)
}

func whole(path string, b []byte) error {
	return journal.WriteWhole(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func readReport(path string) (*report.Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	var r report.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if r.Schema != report.Schema || r.Metrics == nil {
		return nil, fmt.Errorf("read %s: schema %q, want %s with metrics", path, r.Schema, report.Schema)
	}
	return &r, nil
}

// Recompute takes the report of a point, computed again from its run folder, into the state. It says whether it was another one.
func (s *State) Recompute(i int, result *report.Result, text []byte) (changed bool) {
	p := &s.Points[i]
	sum := digest.Of(text)
	changed = p.ReportSHA256 == nil || *p.ReportSHA256 != sum
	p.ReportSHA256, p.Facts = &sum, s.facts(i, result)
	return changed
}
