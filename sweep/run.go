package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/report"
	"paceline/sweep/cache"
)

// Player plays one point.
type Player interface {
	// Play plays a point into a new folder, judges and reports. It says everything in what it returns.
	Play(ctx context.Context, p *PlannedPoint, dir string) Played
}

// Played is what came of a try to play a point.
type Played struct {
	Report *report.Result // nil: there is none
	Broken string         // why the run cannot be used; empty: it can
}

// Emptier empties the target's cache and proves that.
type Emptier interface {
	// Empty readies the target for a point. before is the folder of the latest run; empty: there is none. An error says why the point
	// must not be played.
	Empty(ctx context.Context, p *PlannedPoint, before string) (*cache.Verdict, error)
}

// Sweep plays what is left of a sweep.
type Sweep struct {
	Dir     string
	State   *State
	Player  Player
	Emptier Emptier
	// Told is called after each step of a point, for who watches. nil: nobody does.
	Told func(i int, p *Point)
}

// Run plays each point that is pending, in order, and goes on past one that failed. It ends early where ctx ends, or where the
// sweep's own files cannot be written.
func (s *Sweep) Run(ctx context.Context) error {
	if err := s.save(); err != nil {
		return err
	}
	for i := 0; i < len(s.State.Points) || ctx.Err() == nil && s.State.extend(); i++ {
		if s.State.Points[i].State != Pending {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.point(ctx, i); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// point plays one point and writes down each step.
func (s *Sweep) point(ctx context.Context, i int) error {
	p, plan := &s.State.Points[i], &s.State.Plan.Points[i]
	verdict, err := s.Emptier.Empty(ctx, plan, s.before())
	if ctx.Err() != nil {
		return context.Cause(ctx) // nothing of the point was begun
	}
	if err != nil {
		p.end(Attempt{State: Failed, Reason: err.Error()})
		return s.step(i)
	}
	p.Cache, p.CacheCarriedOver = verdict, verdict.Carried()
	p.State, p.Folder, p.Reason = Running, s.fresh(p), ""
	p.Attempts = append(p.Attempts, Attempt{Folder: p.Folder, State: Running})
	last := s.State.Latest
	s.State.Latest = p.Folder
	if err := s.step(i); err != nil {
		return err
	}
	played := s.Player.Play(ctx, plan, filepath.Join(s.Dir, p.Folder))
	if !s.began(p.Folder) {
		s.State.Latest = last
	}
	attempt := Attempt{Folder: p.Folder}
	attempt.State, attempt.Reason = stateOf(played)
	if played.Report == nil && ctx.Err() != nil {
		attempt.State = Incomplete
	}
	p.Attempts = p.Attempts[:len(p.Attempts)-1]
	p.end(attempt)
	if p.State == Done {
		if err := s.facts(i, played.Report); err != nil {
			return err
		}
	}
	return s.step(i)
}

func (p *Point) end(a Attempt) {
	p.State, p.Reason = a.State, a.Reason
	p.Attempts = append(p.Attempts, a)
}

// stateOf is what a run that ended means for its point.
func stateOf(p Played) (PointState, string) {
	switch {
	case p.Report == nil:
		return Failed, p.Broken
	case p.Report.Status == report.Interrupted, p.Report.Status == report.Aborted, p.Report.Status == report.Incomplete:
		return Incomplete, "it was " + string(p.Report.Status)
	case p.Report.Status == report.Failed && p.Broken == "":
		return Failed, p.Report.Reason
	case p.Broken != "":
		return Failed, p.Broken
	}
	return Done, ""
}

// fresh is a folder that no attempt has used, whatever a crash has left.
func (s *Sweep) fresh(p *Point) string {
	for n := len(p.Attempts) + 1; ; n++ {
		name := folderOf(p.Concurrency, n)
		used := false
		for _, a := range p.Attempts {
			used = used || a.Folder == name
		}
		if _, err := os.Lstat(filepath.Join(s.Dir, name)); !used && errors.Is(err, os.ErrNotExist) {
			return name
		}
	}
}

// before is the folder of the latest run; empty: there is none.
func (s *Sweep) before() string {
	if s.State.Latest == "" {
		return ""
	}
	return filepath.Join(s.Dir, s.State.Latest)
}

// began says whether an attempt has sent anything: a run that is refused before leaves no folder.
func (s *Sweep) began(folder string) bool {
	_, err := os.Stat(filepath.Join(s.Dir, folder, journal.RunFile))
	return err == nil
}

// facts takes the report of a point that is done into the sweep's state.
func (s *Sweep) facts(i int, r *report.Result) error {
	p := &s.State.Points[i]
	text, err := os.ReadFile(filepath.Join(s.Dir, p.Folder, reportFile))
	if err != nil {
		return fmt.Errorf("read the report of %d users: %w", p.Concurrency, err)
	}
	sum := digest.Of(text)
	p.ReportSHA256 = &sum
	p.Facts = s.State.facts(i, r)
	if u := s.State.Plan.Until; u != nil {
		load := u.load(r)
		p.Load = &load
	}
	return nil
}

func (s *Sweep) save() error { return s.State.Write(s.Dir) }

// step writes the state, and the report of what there is.
func (s *Sweep) step(i int) error {
	if err := s.save(); err != nil {
		return err
	}
	if s.Told != nil {
		s.Told(i, &s.State.Points[i])
	}
	return nil
}
