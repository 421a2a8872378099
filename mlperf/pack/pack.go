package pack

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
	"paceline/mlperf/rules"
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
	d, text := describeSystem(o, out)
	cohort, seeds := bind(runs, o, out)
	if d != nil && len(runs) > 0 {
		checkPlaces(runs, d, out)
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

// describeSystem reads and completes the description of the system; its text is what the package keeps of it.
func describeSystem(o *Options, out *reasons) (*describe.Description, []byte) {
	if len(o.System) == 0 {
		out.add("", "runner submit template --out system.yaml makes one to fill in; then --system system.yaml", "the system is not described")
		return nil, nil
	}
	text, err := describe.Join(o.System...)
	if err != nil {
		out.add("", "mend the file", "%v", err)
		return nil, nil
	}
	if text, err = describe.Set(text, "organization", o.Organization, "submission", o.Submission, "system.division", division(o.Division)); err != nil {
		out.add("", "mend the file", "%v", err)
		return nil, nil
	}
	d, err := describe.Parse(text)
	if err == nil {
		_, err = d.Check()
	}
	for _, e := range flat(err) {
		out.add("", "in "+o.System[len(o.System)-1], "%v", e)
	}
	if err != nil {
		return nil, nil
	}
	return d, text
}

// division is its word as files have it.
func division(word string) string {
	for _, d := range []string{describe.Standardized, describe.Serviced, describe.RDI} {
		if len(d) == len(word) && slices.EqualFunc([]byte(d), []byte(word), func(a, b byte) bool { return a|32 == b|32 }) {
			return d
		}
	}
	return word
}

// flat lists the errors that were joined.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range many.Unwrap() {
			list = append(list, flat(e)...)
		}
		return list
	}
	return []error{err}
}

// bind finds the cohort and its seeds: those that were asked for, else those that the runs were made for. No set is guessed.
func bind(runs []*export.Run, o *Options, out *reasons) (rules.Cohort, rules.SeedSet) {
	sets, err := rules.KnownSeedSets(o.SeedSets)
	if err != nil {
		out.add("", "mend the file", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	asked := o.Cohort
	for _, r := range runs {
		if asked == "" && r.Seeds != nil {
			asked = r.Seeds.Target
		}
	}
	if asked == "" {
		out.add("", "give --cohort, e.g. --cohort 2026-12-C0", "the cohort is not known")
		return rules.Cohort{}, rules.SeedSet{}
	}
	c, err := rules.ParseCohort(asked)
	if err != nil {
		out.add("", "--cohort", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	set, err := sets.For(c)
	if err != nil {
		out.add("", "--seed-sets FILE tells of newer sets", "%v", err)
		return rules.Cohort{}, rules.SeedSet{}
	}
	for _, r := range runs {
		if r.Seeds == nil {
			continue
		}
		if set, err = sets.Find(r.Seeds.ID); err != nil {
			out.add(label(r), "--seed-sets FILE tells of newer sets", "%v", err)
		} else if !set.Serves(c) {
			out.add(label(r), "play the point again for that cohort", "it is bound to seed set %s, which may not be used for cohort %s", set.ID, c)
		}
	}
	return c, set
}

// checkPlaces holds the points to the curve's regions.
func checkPlaces(runs []*export.Run, d *describe.Description, out *reasons) {
	var all []int
	for _, r := range runs {
		all = append(all, r.Concurrency())
	}
	regions, err := curve(all, d)
	if err != nil {
		out.add("", "system.max_supported_concurrency, system.c_min_override", "%v", err)
		return
	}
	for _, r := range runs {
		if _, ok := regions.Of(r.Concurrency()); !ok {
			out.add(label(r), "leave it out, or declare a higher maximum", "concurrency %d lies above the margin of the declared maximum %d", r.Concurrency(), regions.CMax)
		}
	}
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

// evidence adds what an auditor may ask for of each run. The content store stays out: it has the texts of the data set.
func evidence(t Tree, runs []*export.Run, found *Found) error {
	for _, r := range runs {
		names, err := os.ReadDir(r.Dir)
		if err != nil {
			return err
		}
		for _, e := range names {
			if !isEvidence(e.Name()) {
				continue
			}
			name := fmt.Sprintf("%s/r%d/%s", EvidenceDir, r.Concurrency(), e.Name())
			if err := t.put(name, Content{From: filepath.Join(r.Dir, e.Name())}); err != nil {
				return err
			}
		}
	}
	for i, file := range found.Sweeps {
		name := EvidenceDir + "/" + sweepFile
		if i > 0 {
			name = fmt.Sprintf("%s/sweep-%d.json", EvidenceDir, i+1)
		}
		if err := t.put(name, Content{From: file}); err != nil {
			return err
		}
	}
	return nil
}

// isEvidence tells the files of a run folder that go into a package, by name: what is not known stays out.
func isEvidence(name string) bool {
	for _, pattern := range []string{journal.RunFile, journal.LockFile, journal.JudgementsFile, "report.json", "report.txt", "journal-*.jsonl.zst", "evaluation-*.jsonl.zst"} {
		if ok, err := filepath.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// plugins adds the sandboxed plugins that the runs were pinned to, and notes which it could not.
func plugins(t Tree, m *Meta, runs []*export.Run, o *Options) error {
	if o.Plugin == nil {
		return nil
	}
	for _, r := range runs {
		for _, p := range r.Config.Plugins {
			code, err := o.Plugin(r, p)
			if err != nil {
				return fmt.Errorf("%s: plugin %s: %w", label(r), p.Name, err)
			}
			if code == nil {
				note := fmt.Sprintf("plugin %s (sha256 %s) is not in the package: it is native, or not on this machine any more", p.Name, p.SHA256)
				if !slices.Contains(m.Notes, note) {
					m.Notes = append(m.Notes, note)
				}
				continue
			}
			if sum := digest.Of(code); sum != p.SHA256 {
				return fmt.Errorf("%s: plugin %s has sha256 %s now, the run had %s", label(r), p.Name, sum, p.SHA256)
			}
			if err := t.put(PluginFile(p.SHA256), Content{Bytes: code}); err != nil {
				return err
			}
		}
	}
	return nil
}

// PluginFile is where a package keeps a sandboxed plugin.
func PluginFile(sum digest.SHA256) string { return EvidenceDir + "/plugins/" + sum.String() + ".wasm" }

// source adds src/<implementation>, to the package and to the run folders.
func source(t, upload Tree, d *describe.Description, o *Options) error {
	folder := "src/" + d.Implementation.Name
	if o.Src != "" {
		if err := t.putFolder(folder, o.Src); err != nil {
			return err
		}
	}
	if _, there := t[folder+"/README.md"]; !there {
		if err := t.put(folder+"/README.md", Content{Bytes: implementation(d)}); err != nil {
			return err
		}
	}
	for name, c := range t.below("src") {
		for _, point := range uploadPoints(upload) {
			if err := upload.put(point+"/src/"+name, c); err != nil {
				return err
			}
		}
	}
	return nil
}
