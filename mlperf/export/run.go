package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/session"
	"paceline/core/verdict"
	"paceline/mlperf/rules"
)

// Run is a finished run with everything that its point's files are made of.
type Run struct {
	Dir        string
	Config     *journal.RunConfig
	Journal    *journal.Run
	Judgements []verdict.Judgement
	Report     *report.Result
	Tracked    *metrics.Tracked
	Head       digest.SHA256 // of the run's head, see journal.HeadDigest
	Seeds      *BoundSeeds   // nil: the run is bound to no published set
	Settings   Settings
}

// Settings are those of the resolved run file that the rules speak of.
type Settings struct {
	Target struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Usage  bool   `json:"usage"`
		Turn   int64  `json:"turn_timeout_ns"`
		// Speculation is what the run declares.
		Speculation engine.Speculation `json:"speculation"`
	} `json:"target"`
	Load struct {
		Users        int    `json:"users"`
		Trajectories uint64 `json:"trajectories"`
		Repeats      uint32 `json:"repeats"`
		Order        string `json:"order"`
		Delays       bool   `json:"delays"`
		MaxDelay     int64  `json:"max_delay_ns"`
		Duration     int64  `json:"duration_ns"`
		FirstIdle    bool   `json:"stop_on_first_idle"`
		Arrivals     struct {
			Kind string `json:"kind"`
		} `json:"arrivals"`
	} `json:"load"`
	Params         json.RawMessage `json:"params"`
	Override       json.RawMessage `json:"override"`
	MaxTokens      uint32          `json:"max_tokens"`
	History        string          `json:"history"`
	Thinking       string          `json:"thinking"`
	Salt           string          `json:"salt"`
	RoutingHeaders []string        `json:"routing_headers"`
	Window         struct {
		Kind string `json:"kind"`
	} `json:"window"`
	TokenSource string            `json:"token_source"`
	Plugins     map[string]string `json:"plugins"` // sources by name
}

// Read reads a run folder.
func Read(dir string) (*Run, error) {
	files, err := session.ReadFiles(dir)
	if err != nil {
		return nil, err
	}
	judgements, err := journal.ReadJudgements(dir)
	if err != nil {
		return nil, err
	}
	return New(dir, files, judgements)
}

// New is a run that was read, with judgements that need not be those of its folder.
func New(dir string, files *session.Files, judgements []verdict.Judgement) (*Run, error) {
	r := &Run{Dir: dir, Config: files.Config, Journal: files.Run, Judgements: judgements}
	if err := json.Unmarshal(files.Config.Config, &r.Settings); err != nil {
		return nil, fmt.Errorf("read configuration of the run in %s: %w", dir, err)
	}
	in := report.Input{Run: files.Run, Config: files.Config, Judgements: judgements}
	measured, err := report.MetricsInput(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	// The rules take the model's own tokenizer, whatever the run's report takes first.
	measured.CounterFirst = true
	r.Tracked = metrics.TrackedOf(measured)
	if r.Report, err = report.Build(in); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if r.Head, err = journal.HeadDigest(dir); err != nil {
		return nil, err
	}
	r.Seeds, err = boundSeeds(dir)
	return r, err
}

// BoundSeeds names the published set of seeds that a run was bound to, and the cohort that it was made for.
type BoundSeeds struct {
	ID     string `json:"id"`
	Target string `json:"target_cohort"`
}

// boundSeeds reads what run.json says of it.
func boundSeeds(dir string) (*BoundSeeds, error) {
	text, err := os.ReadFile(filepath.Join(dir, journal.RunFile))
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	var doc struct {
		Set *BoundSeeds `json:"seed_set"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", journal.RunFile, dir, err)
	}
	return doc.Set, nil
}

// Concurrency is the number of users of the run.
func (r *Run) Concurrency() int { return r.Settings.Load.Users }

// Model is what the rules say of the run's model: that of its preset mlperf/agentic/MODEL.
func (r *Run) Model() (rules.Model, error) {
	if r.Config.Preset == nil {
		return rules.Model{}, errors.New("the run is of no preset mlperf/agentic/MODEL, so its model is not known")
	}
	return rules.FindModel(path.Base(r.Config.Preset.Name))
}

// Counter is the component that counted the run's tokens; nil: none did.
func (r *Run) Counter() *verdict.Judgement {
	for i := range r.Judgements {
		if j := &r.Judgements[i]; j.Kind == "counter" && len(j.Counts) > 0 {
			return j
		}
	}
	return nil
}

// Inline is the score of inline accuracy; nil: the run has none.
func (r *Run) Inline() *verdict.Judgement {
	return r.scorer(func(name string) bool { return path.Base(name) == "inline" })
}

// SWEBench is the score of SWE-bench, by a component whose plugin or own name says so, e.g. swebench/service; nil: the run has
// none.
func (r *Run) SWEBench() *verdict.Judgement {
	plain := strings.NewReplacer("-", "", "_", "")
	return r.scorer(func(name string) bool {
		for part := range strings.SplitSeq(name, "/") {
			if plain.Replace(part) == "swebench" {
				return true
			}
		}
		return false
	})
}

// scorer is what the first scorer of such a name came to.
func (r *Run) scorer(named func(string) bool) *verdict.Judgement {
	for i := range r.Judgements {
		if j := &r.Judgements[i]; j.Kind == "scorer" && named(j.Name) {
			return j
		}
	}
	return nil
}

// Dataset is the run's data set; nil: it has none.
func (r *Run) Dataset() *journal.Input {
	for i := range r.Config.Inputs {
		if in := &r.Config.Inputs[i]; in.Name == "dataset" && (in.Workload == "" || in.Workload == r.Config.Workload.Name) {
			return in
		}
	}
	return nil
}

// Official reports whether the run played the official data set.
func (r *Run) Official() bool {
	in := r.Dataset()
	return in != nil && in.SHA256.String() == rules.DatasetSHA256
}
