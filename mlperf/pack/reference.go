package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"paceline/mlperf/export"
	"paceline/mlperf/rules"
)

// referenceRun is a run folder of the reference client. Its files stay as they are.
type referenceRun struct {
	dir     string
	point   referencePoint
	kind    string // performance or accuracy
	files   map[string][]byte
	summary struct {
		Version  string          `json:"version"`
		GitSHA   string          `json:"git_sha"`
		Client   json.RawMessage `json:"client"`
		Duration float64         `json:"duration_ns"`
		Output   struct {
			Total float64 `json:"total"`
		} `json:"output_sequence_lengths"`
	}
	system struct {
		Org  string `json:"submitter_org_names"`
		Name string `json:"system_name"`
	}
}

// referencePoint is what is read of a point.yaml.
type referencePoint struct {
	Concurrency int    `yaml:"concurrency"`
	Division    string `yaml:"division"`
	Model       string `yaml:"model_name"`
	Type        string `yaml:"dataset_type"`
	SeedSet     string `yaml:"seed_set"`
	Cohort      string `yaml:"target_cohort"`
}

// Files of a run folder, and where they stand in a point's folder.
var referenceFiles = []struct {
	from, to string
	needed   bool
}{
	{"point.yaml", "point.yaml", true}, {"config.yaml", "config.yaml", true}, {"system_desc.json", "system_desc.json", true},
	{"performance/result_summary.json", "result_summary.json", true}, {"accuracy/accuracy_results.json", "accuracy_results.json", false},
	{"system_power.json", "system_power.json", false},
}

// alsoCopied are files of the reference client that say more of a run and hold no text of a trajectory. Its events.jsonl and
// results.json do hold such texts, and stay where they are.
var alsoCopied = []string{"report.txt", "sample_idx_map.json", "metrics/final_snapshot.json"}

// readReference reads a run folder; what is wrong with it goes to out.
func readReference(dir string, out *reasons) *referenceRun {
	r := &referenceRun{dir: dir, files: map[string][]byte{}}
	for _, f := range referenceFiles {
		if !exists(dir, f.from) {
			if f.needed {
				out.add(dir, "add it (docs/audit.md)", "%s is missing", f.from)
			}
			continue
		}
		text, err := readSmall(filepath.Join(dir, filepath.FromSlash(f.from)))
		if err != nil {
			out.add(dir, "", "%v", err)
			continue
		}
		r.files[f.to] = text
	}
	if err := r.parse(); err != nil {
		out.add(dir, "mend the file", "%v", err)
	}
	return r
}

func (r *referenceRun) parse() error {
	var config struct {
		Datasets []struct {
			Type string `yaml:"type"`
		} `yaml:"datasets"`
	}
	errs := []error{
		fault("point.yaml", yaml.Unmarshal(r.files["point.yaml"], &r.point)), fault("config.yaml", yaml.Unmarshal(r.files["config.yaml"], &config)),
		r.json("result_summary.json", &r.summary), r.json("system_desc.json", &r.system), r.json("accuracy_results.json", &json.RawMessage{}),
		r.json("system_power.json", &json.RawMessage{}),
	}
	r.kind = strings.ToLower(r.point.Type)
	if len(config.Datasets) > 0 && config.Datasets[0].Type != "" {
		r.kind = config.Datasets[0].Type
	}
	if r.kind != "performance" && r.kind != "accuracy" {
		errs = append(errs, errors.New("whether it is a performance or an accuracy run is not told: set datasets[0].type in config.yaml"))
	}
	if r.point.Concurrency < 1 {
		errs = append(errs, errors.New("point.yaml: concurrency must be a whole number of at least 1"))
	}
	return errors.Join(errs...)
}

func (r *referenceRun) json(name string, into any) error {
	text, ok := r.files[name]
	if !ok {
		return nil
	}
	return fault(name, json.Unmarshal(text, into))
}

func fault(file string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// ours reports whether the folder is one of our own exports, which is packed from the run folder that it was made of.
func (r *referenceRun) ours() bool {
	for _, text := range []string{r.summary.Version, r.summary.GitSHA} {
		if strings.HasPrefix(strings.ToLower(text), strings.ToLower(export.ClientName)) {
			return true
		}
	}
	return len(r.summary.Client) > 0
}

// checkReference says everything for which runs of the reference client may not be packed.
func checkReference(runs []*referenceRun, o *Options, out *reasons) {
	sets, err := rules.KnownSeedSets(o.SeedSets)
	if err != nil {
		out.add("", "", "%v", err)
		return
	}
	for _, r := range runs {
		if r.ours() {
			out.add(r.dir, "pack the run folder itself", "it is an export of %s, whose client is not the reference client", export.ClientName)
		}
		if m, err := rules.FindModel(r.point.Model); err != nil {
			out.add(r.dir, "model_name of point.yaml", "%v", err)
		} else if m.Status != rules.Submittable {
			out.add(r.dir, "no package of this model is taken", "model %s is %s: %s", m.Name, m.Status, m.Reason)
		}
		checkSeeds(r.dir, sets, r.point.SeedSet, r.point.Cohort, out)
	}
}

// checkSeeds holds a set to the cohort that it is to serve.
func checkSeeds(at string, sets rules.SeedSets, id, cohort string, out *reasons) {
	const fix = "--seed-sets FILE tells of newer sets"
	set, err := sets.Find(id)
	if err != nil {
		out.add(at, fix, "%v", err)
		return
	}
	c, err := rules.ParseCohort(cohort)
	if err != nil {
		out.add(at, "target_cohort of point.yaml", "%v", err)
		return
	}
	if !set.Serves(c) {
		out.add(at, fix, "seed set %s of cohort %s may not be used for cohort %s", set.ID, set.Cohort, c)
	}
}
