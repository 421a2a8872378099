package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/stats"
	"paceline/plugins/strict"
	"paceline/sweep/cache"
)

// StateFile is the file of a sweep folder that says what came of each point.
const StateFile = "sweep.json"

// Schema is the schema of StateFile.
const Schema = "sweep/v1"

// PointState says how far a point is.
type PointState string

// States of points and attempts.
const (
	Pending    PointState = "pending"
	Running    PointState = "running"
	Done       PointState = "done"       // played whole and judged, whether it passed or not
	Failed     PointState = "failed"     // it could not be played, or its run cannot be used
	Incomplete PointState = "incomplete" // it was broken off
)

// State is sweep.json. It is written whole after each step.
type State struct {
	Schema string        `json:"schema"`
	Runner journal.Build `json:"runner"`
	Plan   Plan          `json:"plan"`
	// RunSHA256 is of the resolved run, without what differs from point to point: a sweep has one configuration.
	RunSHA256 digest.SHA256 `json:"run_sha256"`
	Notes     []string      `json:"notes"`                   // what the rules refuse, of a rehearsal
	Latest    string        `json:"latest_folder,omitempty"` // of the attempt that was begun last, so the target has seen it last
	Points    []Point       `json:"points"`
}

// Point is what came of one planned point, in the order of the plan.
type Point struct {
	Concurrency int        `json:"concurrency"`
	Folder      string     `json:"folder"` // of the latest attempt, in the sweep's
	State       PointState `json:"state"`
	Reason      string     `json:"reason,omitempty"`
	// ReportSHA256 is of report.json of a point that is done.
	ReportSHA256 *digest.SHA256 `json:"report_sha256,omitempty"`
	// CacheCarriedOver says whether the point could feed on what the one before it left; null: not proven, or not asked yet.
	CacheCarriedOver *bool          `json:"cache_carried_over"`
	Cache            *cache.Verdict `json:"cache,omitempty"`
	Facts            *Facts         `json:"facts,omitempty"`          // of a point that is done
	Load             *stats.Num     `json:"objective_load,omitempty"` // of a search: the worst of the objectives, measured over allowed; null: not told
	Attempts         []Attempt      `json:"attempts"`
}

// Attempt is one try to play a point.
type Attempt struct {
	Folder string     `json:"folder,omitempty"` // empty: there was nothing to record
	State  PointState `json:"state"`
	Reason string     `json:"reason,omitempty"`
}

// NewState is the state of a sweep before its first point.
func NewState(runner journal.Build, plan *Plan, run digest.SHA256, notes []string) *State {
	s := &State{Schema: Schema, Runner: runner, Plan: *plan, RunSHA256: run, Notes: notes}
	if s.Notes == nil {
		s.Notes = []string{}
	}
	for _, p := range plan.Points {
		s.Points = append(s.Points, Point{Concurrency: p.Concurrency, Folder: folderOf(p.Concurrency, 1), State: Pending, Attempts: []Attempt{}})
	}
	return s
}

// folderOf is the folder of the nth attempt at a point.
func folderOf(concurrency, n int) string {
	if n == 1 {
		return fmt.Sprintf("c%d", concurrency)
	}
	return fmt.Sprintf("c%d-%d", concurrency, n)
}

// Is says whether a folder is a sweep's.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, StateFile))
	return err == nil
}

// ReadState reads sweep.json of a folder.
func ReadState(dir string) (*State, error) {
	path := filepath.Join(dir, StateFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read sweep: %w", err)
	}
	var s State
	if err := strict.Decode(text, &s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.Schema != Schema {
		return nil, fmt.Errorf("read %s: schema %q is not known, want %s", path, s.Schema, Schema)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &s, nil
}

// check finds what would lead the sweep astray: it may have come from somewhere else.
func (s *State) check() error {
	if err := s.Plan.Check(); err != nil {
		return err
	}
	if len(s.Points) != len(s.Plan.Points) {
		return fmt.Errorf("it has %d points and its plan %d", len(s.Points), len(s.Plan.Points))
	}
	for i, p := range s.Points {
		if p.Concurrency != s.Plan.Points[i].Concurrency {
			return fmt.Errorf("points[%d] has %d users and the plan %d", i, p.Concurrency, s.Plan.Points[i].Concurrency)
		}
		folders := []string{p.Folder, s.Latest}
		for _, a := range p.Attempts {
			folders = append(folders, a.Folder)
		}
		for _, f := range folders {
			if f != "" && (!filepath.IsLocal(f) || strings.ContainsAny(f, `/\`)) {
				return fmt.Errorf("points[%d]: %q is no folder of the sweep's own", i, f)
			}
		}
	}
	return nil
}

// Write writes sweep.json whole.
func (s *State) Write(dir string) error {
	return writeJSON(filepath.Join(dir, StateFile), s)
}

func writeJSON(path string, v any) error {
	return journal.WriteWhole(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// Resume readies a sweep that was broken off: points that are done stay, once their reports are found unchanged; of the others the
// broken attempt is marked, and they are to be played again. plan and run must be the sweep's own.
func (s *State) Resume(dir string, plan *Plan, run digest.SHA256) error {
	was, err := s.Plan.Digest()
	if err != nil {
		return err
	}
	now, err := plan.Digest()
	if err != nil {
		return err
	}
	if was != now {
		return fmt.Errorf("the plan is not the one that %s was begun with (sha256 %s, now %s): resume with that, or begin another sweep", dir, was, now)
	}
	if s.RunSHA256 != run {
		return fmt.Errorf("the run is not the one that %s was begun with (sha256 %s, now %s): one sweep has one configuration", dir, s.RunSHA256, run)
	}
	var errs []error
	for i := range s.Points {
		errs = append(errs, s.Points[i].resume(dir))
	}
	return errors.Join(errs...)
}

func (p *Point) resume(dir string) error {
	if p.State == Done {
		return p.unchanged(dir)
	}
	if n := len(p.Attempts); p.State == Running && n > 0 {
		p.Attempts[n-1].State, p.Attempts[n-1].Reason = Incomplete, "the runner ended before the point did"
	}
	if p.State != Pending {
		p.State, p.Reason, p.Cache, p.CacheCarriedOver = Pending, "", nil, nil
	}
	return nil
}

// unchanged holds the report of a point that is done to its digest.
func (p *Point) unchanged(dir string) error {
	path := filepath.Join(dir, p.Folder, reportFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%d users are done: %w", p.Concurrency, err)
	}
	if sum := digest.Of(text); p.ReportSHA256 == nil || sum != *p.ReportSHA256 {
		return fmt.Errorf("%s has changed since its point was done: its sha256 was %s and is %s; `runner report %s` computes it again", path, p.ReportSHA256, sum, dir)
	}
	return nil
}

const (
	reportFile = "report.json"
	holdFile   = ".sweep.lock"
)
