package pack

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"paceline/core/journal"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
)

// Options is what a package is made of beside runs.
type Options struct {
	System       []string // files that describe the system, the last one highest
	Division     string   // in place of theirs
	Organization string   // likewise
	Submission   string   // likewise
	Cohort       string   // in place of the one that the runs were made for
	SeedSets     []byte   // file with sets that are newer than this version
	Rehearsal    bool
	Model        string // of runs that are of no preset; rehearsals only
	Src, Docs    string // folders that become src/<implementation> and docs; empty: none
	// Plugin gives the bytes of a sandboxed plugin of a run, which are then in the package: nil where it is a native one, or
	// is not here any more. Without it none are.
	Plugin func(r *export.Run, p journal.Plugin) ([]byte, error)
}

// Package is a package that may be written.
type Package struct {
	Meta   *Meta
	Root   string // <organization>/<submission>
	Tree   Tree   // below it
	Upload Tree   // run folders for the service, by c<concurrency>/; empty where the runs are such folders
}

// Make puts a package together, or refuses it with every reason.
func Make(found *Found, o *Options) (*Package, error) {
	out := &reasons{}
	if len(found.Runs) > 0 && len(found.Reference) > 0 {
		out.add("", "pack each client's runs by themselves", "%s and %s were made by different clients: %s and the reference client",
			found.Runs[0].Dir, found.Reference[0], export.ClientName)
		return nil, out.err()
	}
	if len(found.Reference) > 0 {
		return packReference(found, o, out)
	}
	return packOurs(found, o, out)
}

// Write writes a package below dir, which is new or empty, and the run folders for upload into its folder runs.
func (p *Package) Write(dir string) error {
	if err := journal.Create(dir); err != nil {
		return err
	}
	if err := p.Tree.write(filepath.Join(dir, filepath.FromSlash(p.Root))); err != nil {
		return fmt.Errorf("write package: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Upload)) {
		if _, err := p.Upload[name].write(filepath.Join(dir, uploadDir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("write run folders: %w", err)
		}
	}
	return nil
}

// uploadDir holds run folders beside the organization's folder.
const uploadDir = "runs"

func packReference(found *Found, o *Options, out *reasons) (*Package, error) {
	var runs []*referenceRun
	for _, dir := range found.Reference {
		runs = append(runs, readReference(dir, out))
	}
	checkReference(runs, o, out)
	first := runs[0]
	for _, r := range runs[1:] {
		if r.point.Model != first.point.Model || r.system.Name != first.system.Name {
			out.add(r.dir, "pack runs of one curve", "its model and system are %s and %s, those of %s are %s and %s",
				r.point.Model, r.system.Name, first.dir, first.point.Model, first.system.Name)
		}
	}
	t, points := referenceTree(runs, out)
	if len(t.below("src")) == 0 {
		out.add("", "add src/<implementation>/README.md to a run folder", "no run folder has src/, which a package needs")
	}
	if err := out.err(); err != nil {
		return nil, err
	}
	m := &Meta{Schema: metaForm, Client: ClientReference, Note: referenceNote, Model: first.point.Model, LeftOut: found.LeftOut,
		Organization: describe.Folder(cmp.Or(o.Organization, first.system.Org)), Submission: cmp.Or(o.Submission, "sub-0001")}
	for _, c := range points {
		m.Points = append(m.Points, MetaPoint{Concurrency: c})
	}
	return finish(m, t, Tree{}, o)
}

func packOurs(found *Found, o *Options, out *reasons) (*Package, error) {
	var runs []*export.Run
	for _, f := range found.Runs {
		r, err := export.Read(f.Dir)
		if err != nil {
			out.add(f.Dir, "give a run folder", "%v", err)
			continue
		}
		checkRun(r, f, o, out)
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b *export.Run) int { return cmp.Compare(a.Concurrency(), b.Concurrency()) })
	checkAlike(runs, out)
	checkOneTarget(runs, out)
	d, text := describeSystem(o, out)
	checkSweeps(found, d, o, out)
	cohort, seeds := bind(runs, o, out)
	if d != nil && len(runs) > 0 {
		checkPlaces(runs, d, out)
		checkDrafter(runs, d, o, cohort, out)
	}
	if err := out.err(); err != nil {
		return nil, err
	}
	model, err := modelOf(runs[0], o)
	if err != nil {
		return nil, err
	}
	m := metaOf(runs, d, o, cohort, seeds, model.Name)
	m.LeftOut = found.LeftOut
	for _, f := range found.Runs {
		m.Notes = append(m.Notes, f.Notes...)
		if f.Unproven {
			m.Notes = append(m.Notes, fmt.Sprintf("%s: its sweep could not prove that the cache of the point before was emptied", filepath.Base(f.Dir)))
		}
	}
	t, err := Results(m, d, runs)
	if err != nil {
		return nil, err
	}
	upload, err := uploads(t, m)
	if err != nil {
		return nil, err
	}
	errs := []error{t.put(SystemFile, Content{Bytes: text}), evidence(t, runs, found), plugins(t, m, runs, o), source(t, upload, d, o)}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return finish(m, t, upload, o)
}

// finish adds what tells of the package itself.
func finish(m *Meta, t, upload Tree, o *Options) (*Package, error) {
	if o.Docs != "" {
		if err := t.putFolder("docs", o.Docs); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(t.put("README.md", Content{Bytes: readme(m)}), t.putJSON(MetaFile, m)); err != nil {
		return nil, err
	}
	if m.Organization == "" || m.Organization == uploadDir {
		return nil, fmt.Errorf("organization %q cannot be the name of a folder here; give --org", m.Organization)
	}
	return &Package{Meta: m, Root: m.Organization + "/" + m.Submission, Tree: t, Upload: upload}, nil
}
