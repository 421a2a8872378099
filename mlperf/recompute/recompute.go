package recompute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/report"
	"paceline/core/session"
	"paceline/core/verdict"
	"paceline/mlperf/export"
	"paceline/mlperf/pack"
)

// States of files.
const (
	Equal    = "equal"    // computed again, the same bytes
	Differs  = "differs"  // from the manifest, or from what was computed again
	Missing  = "missing"  // the package lacks it
	Recorded = "recorded" // as it was recorded: not computed again
)

// File is what came of one file, or of one judgement in it.
type File struct {
	Path  string `json:"path"`
	State string `json:"state"`
	At    string `json:"at,omitempty"`  // record and field of the first difference
	Why   string `json:"why,omitempty"` // both values, or a reason
}

// Report is what came of a package.
type Report struct {
	Package string  `json:"package"`
	Client  string  `json:"client"`
	Equal   bool    `json:"equal"`
	Points  []Point `json:"points"`
	Files   []File  `json:"files"`
}

// Point is what came of one run.
type Point struct {
	Concurrency int    `json:"concurrency"`
	Head        string `json:"head_sha256,omitempty"`
	Planned     int    `json:"planned_again"` // trajectories; 0: no data set was given
}

// Judge judges a run again. It gives the recorded judgements anew where they are deterministic and their inputs are there,
// which of them those are, and how many trajectories were planned again.
type Judge func(ctx context.Context, dir string, files *session.Files, recorded []verdict.Judgement) (*Judged, error)

// Judged is what came of it.
type Judged struct {
	List    []verdict.Judgement
	Anew    map[string]bool // by component: judged again
	Planned int
}

// Run recomputes a package. An error says why it could not be; what differs stands in the report.
func (b *Bundle) Run(ctx context.Context, judge Judge) (*Report, error) {
	r := &Report{Package: b.Root, Client: b.Meta.Client, Points: []Point{}, Files: []File{}}
	hurt, err := b.digests()
	if err != nil {
		return nil, err
	}
	r.Files = append(r.Files, hurt...)
	if b.Meta.Client == pack.ClientReference {
		r.Files = append(r.Files, File{Path: "results", State: Recorded, Why: "the reference client keeps no journal that a package may hold; digests were compared"})
		r.close()
		return r, nil
	}
	var runs []*export.Run
	for _, p := range b.Meta.Points {
		run, err := b.point(ctx, r, p, judge)
		if err != nil {
			return nil, err
		}
		if run != nil {
			runs = append(runs, run)
		}
	}
	if len(runs) == len(b.Meta.Points) {
		if err := b.results(r, runs); err != nil {
			return nil, err
		}
	}
	r.close()
	return r, nil
}

func (r *Report) close() {
	r.Equal = !slices.ContainsFunc(r.Files, func(f File) bool { return f.State == Differs || f.State == Missing })
}

func (r *Report) add(path, state, at, format string, args ...any) {
	r.Files = append(r.Files, File{path, state, at, fmt.Sprintf(format, args...)})
}

// point recomputes one run; nil: its journal cannot be relied on, and the report says why.
func (b *Bundle) point(ctx context.Context, r *Report, p pack.MetaPoint, judge Judge) (*export.Run, error) {
	dir, name := b.Dir(p.Concurrency), fmt.Sprintf("%s/r%d", pack.EvidenceDir, p.Concurrency)
	if err := journal.Verify(dir); err != nil {
		r.add(name, Differs, "", "%v", err)
		return nil, nil //nolint:nilnil // the report says what is wrong
	}
	head, err := journal.HeadDigest(dir)
	if err != nil {
		return nil, err
	}
	if p.Head == nil || *p.Head != head {
		r.add(name, Differs, "record 1", "its head has sha256 %s, %s tells %s", head, pack.MetaFile, orNone(p.Head))
	}
	files, err := session.ReadFiles(dir)
	if err != nil {
		return nil, err
	}
	recorded, err := journal.ReadJudgements(dir)
	if err != nil {
		r.add(name+"/"+journal.JudgementsFile, Differs, "", "%v", err)
		return nil, nil //nolint:nilnil // the report says what is wrong
	}
	judged, err := judge(ctx, dir, files, recorded)
	if unsteady, ok := errors.AsType[*session.UnsteadyError](err); ok {
		r.add(name+"/"+journal.SegmentFile(1), Differs, unsteady.What, "the data set gives another trajectory: %v", unsteady)
		return nil, nil //nolint:nilnil // the report says what is wrong
	}
	if err != nil {
		return nil, fmt.Errorf("r%d: %w", p.Concurrency, err)
	}
	r.Points = append(r.Points, Point{p.Concurrency, head.String(), judged.Planned})
	if err := r.judgements(name+"/"+journal.JudgementsFile, recorded, judged); err != nil {
		return nil, err
	}
	if err := r.reports(dir, name, files, judged.List); err != nil {
		return nil, err
	}
	return export.New(dir, files, judged.List)
}

func orNone(d *digest.SHA256) string {
	if d == nil {
		return "none"
	}
	return d.String()
}

// judgements compares what each judge said.
func (r *Report) judgements(path string, recorded []verdict.Judgement, judged *Judged) error {
	for i := range recorded {
		had := &recorded[i]
		if !judged.Anew[had.Name] {
			why := "native: shown as it was recorded"
			if had.Deterministic {
				why = "not judged again: its inputs were not given"
			}
			r.add(path, Recorded, fmt.Sprintf("record %d (%s)", i+1, had.Name), "%s", why)
			continue
		}
		was, err := json.Marshal(had)
		if err != nil {
			return err
		}
		is, err := json.Marshal(&judged.List[i])
		if err != nil {
			return err
		}
		at := fmt.Sprintf("record %d (%s)", i+1, had.Name)
		if d := Compare(was, is); d != nil {
			r.add(path, Differs, at+", "+d.At, "%s was recorded, and it is %s again", d.Recorded, d.Again)
			continue
		}
		r.add(path, Equal, at, "")
	}
	return nil
}

// reports computes both reports again.
func (r *Report) reports(dir, name string, files *session.Files, judgements []verdict.Judgement) error {
	result, err := report.Build(report.Input{Run: files.Run, Config: files.Config, Judgements: judgements})
	if err != nil {
		return err
	}
	var text, raw bytes.Buffer
	if err := errors.Join(report.WriteJSON(&raw, result), report.WriteText(&text, result)); err != nil {
		return err
	}
	for _, f := range []struct {
		file  string
		again []byte
	}{{session.ReportJSON, raw.Bytes()}, {session.ReportText, text.Bytes()}} {
		if err := r.compare(filepath.Join(dir, f.file), name+"/"+f.file, f.again); err != nil {
			return err
		}
	}
	return nil
}

// compare holds a file to what was computed.
func (r *Report) compare(file, name string, again []byte) error {
	recorded, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.add(name, Missing, "", "it is computed, and the package lacks it")
	case err != nil:
		return err
	default:
		if d := Compare(recorded, again); d != nil {
			r.add(name, Differs, d.At, "%s was recorded, and it is %s again", d.Recorded, d.Again)
		} else {
			r.add(name, Equal, "", "")
		}
	}
	return nil
}

// results makes everything below results/ again.
func (b *Bundle) results(r *Report, runs []*export.Run) error {
	d, err := b.describe()
	if err != nil {
		return err
	}
	t, err := pack.Results(b.Meta, d, runs)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := r.compare(b.path(name), name, t[name].Bytes); err != nil {
			return err
		}
	}
	return nil
}

// String tells one file on a line.
func (f File) String() string {
	text := f.State + " " + f.Path
	if f.At != "" {
		text += " " + f.At
	}
	if f.Why != "" {
		text += ": " + strings.ReplaceAll(f.Why, "\n", "; ")
	}
	return text
}
