package pack

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"paceline/core/digest"
	"paceline/core/journal"
)

// Names of files by which folders are known.
const (
	sweepFile   = "sweep.json"
	sweepSchema = "sweep/v1"
	pointFile   = "point.yaml"
	summaryFile = "result_summary.json"
)

// Found is what folders hold that may be packed.
type Found struct {
	Runs      []FoundRun // of Paceline
	Reference []string   // run folders of the reference client
	Sweeps    []string   // sweep.json files
	Plans     []FoundSweep
	LeftOut   []string // points of sweeps that are not done, in words
}

// FoundRun is one run folder, and what the sweep that it belongs to says of it.
type FoundRun struct {
	Dir     string
	Carried string // why its cache was carried over from the point before; empty: it was not
	// Unproven says that the sweep could not show that it was not.
	Unproven bool
	Changed  bool     // its report is not the one that the sweep has taken
	Notes    []string // of the sweep, e.g. on attempts before
}

// Find looks at each folder: a sweep gives its finished points, a run folder itself.
func Find(dirs ...string) (*Found, error) {
	f := &Found{}
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, f.look(dir))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(f.Runs)+len(f.Reference) == 0 {
		return nil, errors.New("there is no finished run to pack")
	}
	return f, nil
}

func (f *Found) look(dir string) error {
	switch {
	case exists(dir, sweepFile):
		return f.sweep(dir)
	case exists(dir, journal.RunFile):
		f.Runs = append(f.Runs, FoundRun{Dir: dir})
	case exists(dir, pointFile), exists(dir, "performance", summaryFile):
		f.Reference = append(f.Reference, dir)
	default:
		return fmt.Errorf("%s holds no sweep (%s), no run of Paceline (%s) and no run of the reference client (%s, performance/%s)",
			dir, sweepFile, journal.RunFile, pointFile, summaryFile)
	}
	return nil
}

func exists(parts ...string) bool {
	_, err := os.Stat(filepath.Join(parts...))
	return !errors.Is(err, fs.ErrNotExist)
}

// sweepDoc is what is read of a sweep.json.
type sweepDoc struct {
	Schema string    `json:"schema"`
	Plan   sweepPlan `json:"plan"`
	Points []struct {
		Concurrency int    `json:"concurrency"`
		Folder      string `json:"folder"`
		State       string `json:"state"`
		cacheFact
		Facts    sweepFacts     `json:"facts"`
		Report   *digest.SHA256 `json:"report_sha256"`
		Attempts []sweepAttempt `json:"attempts"`
	} `json:"points"`
}

// cacheFact is whether a point could feed on what the one before it left: true or a reason, false, or null where it is not
// proven.
type cacheFact struct {
	Carried json.RawMessage `json:"cache_carried_over"`
}

// pointDone is the state of a point that was played to its end.
const pointDone = "done"

func (f *Found) sweep(dir string) error {
	path := filepath.Join(dir, sweepFile)
	text, err := readSmall(path)
	if err != nil {
		return err
	}
	var doc sweepDoc
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if doc.Schema != sweepSchema {
		return fmt.Errorf("read %s: schema %q; want %s", path, doc.Schema, sweepSchema)
	}
	settings, err := doc.Plan.settings()
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	f.Sweeps, f.Plans = append(f.Sweeps, path), append(f.Plans, FoundSweep{dir, settings})
	for i, p := range doc.Points {
		if p.State != pointDone {
			f.LeftOut = append(f.LeftOut, fmt.Sprintf("r%d of %s: %s", p.Concurrency, dir, p.State))
			continue
		}
		if !filepath.IsLocal(p.Folder) {
			return fmt.Errorf("read %s: folder %q of point %d lies outside of the sweep", path, p.Folder, p.Concurrency)
		}
		run := FoundRun{Dir: filepath.Join(dir, p.Folder), Carried: cmp.Or(carried(p.Carried), carried(p.Facts.Carried))}
		run.Unproven = i > 0 && string(p.Carried) == "null"
		run.Notes = told(p.Concurrency, p.Attempts, p.Facts.Failed)
		same, err := unchanged(run.Dir, p.Report)
		if err != nil {
			return fmt.Errorf("point %d of %s: %w", p.Concurrency, path, err)
		}
		run.Changed = !same
		f.Runs = append(f.Runs, run)
	}
	return nil
}

// carried reads what a sweep says of a cache that was carried over: true, or a reason.
func carried(raw json.RawMessage) string {
	var text string
	switch string(raw) {
	case "", "null", "false", `""`:
		return ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return "the sweep says so"
}

// maxSmall bounds files that are read as a whole.
const maxSmall = 64 << 20

// readSmall reads a regular file that is not too large.
func readSmall(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is no regular file", path)
	case info.Size() > maxSmall:
		return nil, fmt.Errorf("read %s: it has %d bytes; at most %d are read", path, info.Size(), maxSmall)
	}
	return os.ReadFile(path)
}
