package pack

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"paceline/core/digest"
	"paceline/mlperf/export"
	"paceline/mlperf/rules"
)

// readSide reads a package, a sweep or a run folder.
func readSide(dir string) (*side, error) {
	for _, below := range []string{"", "*", "*/*"} {
		list, err := filepath.Glob(filepath.Join(dir, below, "results"))
		if err != nil {
			return nil, err
		}
		if len(list) == 1 {
			return packageSide(filepath.Dir(list[0]))
		}
		if len(list) > 1 {
			return nil, fmt.Errorf("%s holds %d packages; name one of them", dir, len(list))
		}
	}
	found, err := Find(dir)
	if err != nil {
		return nil, fmt.Errorf("%s is no package either: %w", dir, err)
	}
	s := &side{points: map[int]*sidePoint{}, files: map[string]string{}, part: true}
	for _, f := range found.Runs {
		if err := s.run(f.Dir); err != nil {
			return nil, err
		}
	}
	for _, dir := range found.Reference {
		if err := s.reference(dir); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// figures and settings are files whose values are compared one by one; all others by their digests.
var (
	figureFiles  = []string{"result_summary.json", "accuracy_results.json"}
	settingFiles = []string{"point.yaml", "config.yaml", "system_desc.json"}
)

func packageSide(root string) (*side, error) {
	s := &side{points: map[int]*sidePoint{}, files: map[string]string{}}
	all := Tree{}
	if err := all.putFolder("", root); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == ManifestFile || name == MetaFile || name == "README.md" {
			continue // they follow from the others
		}
		if err := s.file(name, all[name].From); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// file takes one file of a package.
func (s *side) file(name, file string) error {
	c, ok := pointOf(name)
	if !ok {
		sum, err := digestOf(file)
		s.files[name] = sum
		return err
	}
	if s.points[c] == nil {
		s.points[c] = newPoint()
	}
	p, base := s.points[c], path.Base(name)
	switch {
	case strings.HasPrefix(name, "results/") && slices.Contains(figureFiles, base):
		return flattenFile(p.figures, base, file)
	case strings.HasPrefix(name, "results/") && slices.Contains(settingFiles, base):
		return flattenFile(p.settings, base, file)
	}
	sum, err := digestOf(file)
	p.files[base] = sum
	return err
}

// pointOf finds the point that a path of a package belongs to.
func pointOf(name string) (concurrency int, ok bool) {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		n, err := fmt.Sscanf(part, "r%d", &concurrency)
		if err == nil && n == 1 && part == fmt.Sprintf("r%d", concurrency) {
			return concurrency, true
		}
	}
	return 0, false
}

func digestOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	return "sha256:" + digest.Of(text).String(), err
}

func flattenFile(into map[string]string, name, file string) error {
	text, err := readSmall(file)
	if err != nil {
		return err
	}
	return flattenText(into, name, text)
}

// flattenText puts the values of a document into a map by their place. JSON is read as what it is in YAML, too.
func flattenText(into map[string]string, name string, text []byte) error {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	flatten(into, name, v)
	return nil
}

func flatten(into map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if key != "histogram" { // it says no more than the percentiles do
				flatten(into, at+" "+key, below)
			}
		}
	case []any:
		for i, below := range v {
			flatten(into, fmt.Sprintf("%s[%d]", at, i), below)
		}
	case nil:
		into[at] = "null"
	default:
		into[at] = fmt.Sprint(v)
	}
}

// run takes a run folder of ours.
func (s *side) run(dir string) error {
	r, err := export.Read(dir)
	if err != nil {
		return err
	}
	o := &export.Options{SWEBench: true}
	if m, err := r.Model(); err == nil {
		o.Model = m
	}
	if r.Seeds != nil {
		if sets, err := rules.KnownSeedSets(nil); err == nil {
			o.Seeds, _ = sets.Find(r.Seeds.ID)
		}
	}
	config, err := r.ConfigFile(o)
	if err != nil {
		return err
	}
	p := newPoint()
	s.points[r.Concurrency()] = p
	for _, f := range []struct {
		into map[string]string
		name string
		v    any
	}{{p.figures, "result_summary.json", r.Summary(o)}, {p.figures, "accuracy_results.json", r.Accuracy(o)}, {p.settings, "config.yaml", config}} {
		text, err := export.JSON(f.v)
		if err != nil {
			return err
		}
		if err := flattenText(f.into, f.name, text); err != nil {
			return err
		}
	}
	if r.Seeds == nil { // they are what a package is bound to, not the run
		for _, values := range []map[string]string{p.figures, p.settings} {
			maps.DeleteFunc(values, func(at, _ string) bool { return strings.HasSuffix(at, "_seed") })
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isEvidence(e.Name()) {
			if p.files[e.Name()], err = digestOf(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// reference takes a run folder of the reference client.
func (s *side) reference(dir string) error {
	out := &reasons{}
	r := readReference(dir, out)
	if err := out.err(); err != nil {
		return err
	}
	p := newPoint()
	s.points[r.point.Concurrency] = p
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		into := p.settings
		if slices.Contains(figureFiles, name) {
			into = p.figures
		}
		if name == "system_power.json" {
			continue
		}
		if err := flattenText(into, name, r.files[name]); err != nil {
			return err
		}
	}
	return nil
}
