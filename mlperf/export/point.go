package export

import (
	"fmt"
	"strings"
	"time"

	"paceline/core/stats"
	"paceline/mlperf/describe"
	"paceline/mlperf/rules"
)

// loadPattern is what makes a benchmark an agentic one.
const loadPattern = "agentic_inference"

// Options is what the files of a point are made of beside the run.
type Options struct {
	Describe  *describe.Description // checked
	Model     rules.Model
	Seeds     rules.SeedSet
	Cohort    rules.Cohort
	Regions   rules.Regions
	Rehearsal bool
	Evidence  string // folder of the point's evidence, from the package's root
	SWEBench  bool   // the run's score of SWE-bench is one of the curve's
}

// Point is point.yaml. It is written as JSON, which any reader of YAML takes as it is meant.
type Point struct {
	Concurrency    int                  `json:"concurrency"`
	Region         rules.Region         `json:"region"`
	Client         Client               `json:"client"`
	Rehearsal      bool                 `json:"rehearsal,omitempty"`
	Dataset        string               `json:"dataset"`
	Division       string               `json:"division"`
	MaxConcurrency int                  `json:"max_supported_concurrency"`
	ModelName      string               `json:"model_name"`
	Precision      string               `json:"model_precision"`
	ModelLink      string               `json:"link_to_model"`
	Transformation string               `json:"link_to_model_transformation"`
	ModelNotes     string               `json:"model_notes"`
	DatasetName    string               `json:"dataset_name"`
	DatasetType    string               `json:"dataset_type"`
	DatasetLink    string               `json:"dataset_link"`
	SeedSet        string               `json:"seed_set"`
	Cohort         rules.Cohort         `json:"target_cohort"`
	SharedSrc      string               `json:"shared_src"`
	SharedDocs     string               `json:"shared_docs"`
	Runtime        RuntimeSettings      `json:"runtime_settings"`
	Accuracy       PointAccuracy        `json:"accuracy"`
	Checkpoint     Checkpoint           `json:"checkpoint"`
	Warmup         Warmup               `json:"warmup"`
	Drafter        *describe.Drafter    `json:"speculative_decoding,omitempty"`
	Nodes          []describe.NodesUsed `json:"nodes_used,omitempty"`
	Shortfall      *describe.Shortfall  `json:"dp_shortfall,omitempty"`
}

// RuntimeSettings is how the run was made.
type RuntimeSettings struct {
	LoadPattern    string  `json:"load_pattern"`
	MinDurationMS  int64   `json:"min_duration_ms"`
	MinSamples     *int    `json:"min_sample_count"`
	StreamAll      bool    `json:"stream_all_chunks"`
	Seeds          Seeds   `json:"runtime"`
	Agentic        Agentic `json:"agentic_inference"`
	UsageRequested bool    `json:"usage_requested"` // stream_options.include_usage, which the reference never sends
}

// Agentic are the settings of the scenario.
type Agentic struct {
	Trajectories uint64 `json:"num_trajectories_to_issue"`
	Salt         bool   `json:"enable_salt"`
	Delays       bool   `json:"inject_tool_delay"`
	FirstIdle    bool   `json:"stop_issuing_on_first_user_complete"`
}

// PointAccuracy tells by which methods the point's scores were made.
type PointAccuracy struct {
	Inline   Evaluation  `json:"inline"`
	SWEBench *Evaluation `json:"swe_bench,omitempty"`
}

// Evaluation is one method, and what carried it out.
type Evaluation struct {
	Method    string            `json:"eval_method"`
	By        string            `json:"carried_out_by"`
	Repeats   int               `json:"num_repeats,omitempty"`
	Instances int               `json:"evaluated_instance_count,omitempty"`
	Extras    *EvaluationExtras `json:"extras,omitempty"`
}

// EvaluationExtras are SWE-bench's own settings.
type EvaluationExtras struct {
	Instances int    `json:"num_instances"`
	Template  string `json:"swebench_template,omitempty"`
}

// Checkpoint names the weights.
type Checkpoint struct {
	Repository string `json:"repository"`
	Revision   string `json:"revision,omitempty"`
}

// Warmup is what the target was sent before measuring.
type Warmup struct {
	Seconds     float64  `json:"duration_s"`
	Issued      int      `json:"requests_issued"`
	Completed   int      `json:"requests_completed"`
	Source      string   `json:"data_source"`
	Concurrency int      `json:"concurrency"`
	Steps       []string `json:"initialization_steps,omitempty"`
	Logs        bool     `json:"logs_retained"`
	Link        string   `json:"link_logs,omitempty"`
}

// Point makes point.yaml.
func (r *Run) Point(o *Options) (*Point, error) {
	c, d := r.Concurrency(), o.Describe
	region, ok := o.Regions.Of(c)
	if !ok {
		return nil, fmt.Errorf("concurrency %d lies above the margin of C_max %d", c, o.Regions.CMax)
	}
	_, nodes, short := d.At(c)
	p := &Point{
		Concurrency: c, Region: region, Client: clientOf(r.Config.Build), Rehearsal: o.Rehearsal, Dataset: r.datasetName(),
		Division: d.System.Division, MaxConcurrency: d.System.MaxConcurrency,
		ModelName: o.Model.Name, Precision: d.Model.Precision, ModelLink: d.Model.Link, Transformation: d.Model.Transformation,
		ModelNotes:  r.notes(o),
		DatasetName: d.Dataset.Name, DatasetType: "Performance", DatasetLink: d.Dataset.Link,
		SeedSet: o.Seeds.ID, Cohort: o.Cohort, SharedSrc: "src/" + d.Implementation.Name, SharedDocs: "docs",
		Runtime: RuntimeSettings{
			LoadPattern: loadPattern, MinDurationMS: rules.MinDuration(c).Milliseconds(), StreamAll: true, Seeds: seedsOf(o.Seeds), Agentic: r.agentic(),
			UsageRequested: r.Settings.Target.Usage && r.Settings.Target.Stream,
		},
		Accuracy:   r.methods(o),
		Checkpoint: Checkpoint{o.Model.Repository, d.Model.Revision},
		Warmup:     r.warmup(o), Drafter: r.Drafter(d), Nodes: nodes, Shortfall: short,
	}
	return p, nil
}

// notes tells whose numbers these are, before what the submitter notes.
func (r *Run) notes(o *Options) string {
	notes := []string{Honesty}
	if o.Rehearsal {
		notes = append(notes, "REHEARSAL, not a result: "+strings.Join(r.Rehearsed(), "; ")+".")
	}
	if o.Describe.Model.Notes != "" {
		notes = append(notes, o.Describe.Model.Notes)
	}
	return strings.Join(notes, " ")
}

// Rehearsed says why a run can be no more than a rehearsal.
func (r *Run) Rehearsed() []string {
	list := []string{}
	if in := r.Dataset(); in == nil {
		list = append(list, "it played no data set")
	} else if !r.Official() {
		list = append(list, fmt.Sprintf("its data set has sha256 %s, the official one %s", in.SHA256, rules.DatasetSHA256))
	}
	return append(list, r.Report.Unofficial...)
}

// datasetName is the data set as points compare it: the official one's name, or the stand-in's file with its digest.
func (r *Run) datasetName() string {
	in := r.Dataset()
	switch {
	case in == nil:
		return "none"
	case r.Official():
		return "agentic_combined"
	}
	return fmt.Sprintf("stand-in %s sha256:%s", in.Path, in.SHA256)
}

func (r *Run) agentic() Agentic {
	return Agentic{Trajectories: uint64(r.Tracked.Trajectories), Salt: r.Config.Salt.Scheme == "mlperf", Delays: r.Settings.Load.Delays,
		FirstIdle: r.Settings.Load.FirstIdle}
}

func (r *Run) methods(o *Options) PointAccuracy {
	a := PointAccuracy{Inline: Evaluation{Method: "agentic_inference_inline", By: "nothing"}}
	if j := r.Inline(); j != nil {
		a.Inline.By = fmt.Sprintf("%s %s of %s", j.Name, j.Version, ClientName)
	}
	if j := r.SWEBench(); o.SWEBench && j != nil {
		n, _ := instances(j)
		a.SWEBench = &Evaluation{Method: "swe_bench_scorer", By: fmt.Sprintf("%s %s of %s", j.Name, j.Version, ClientName), Repeats: 1, Instances: n,
			Extras: &EvaluationExtras{n, o.Model.SWETemplate}}
	}
	return a
}

func (r *Run) warmup(o *Options) Warmup {
	t := r.Tracked
	w := Warmup{Source: o.Describe.Warmup.Source, Steps: o.Describe.Warmup.Steps, Logs: true}
	if t.WarmIssued == 0 {
		if w.Source == "" {
			w.Source = "none: no warm-up was run"
		}
		return w
	}
	took, _ := t.WarmEnd.Since(t.WarmStart)
	w.Seconds = stats.Ratio(int64(took), int64(time.Second)).Or(0)
	w.Issued, w.Completed, w.Concurrency, w.Link = t.WarmIssued, t.WarmDone, r.Concurrency(), o.Evidence
	if w.Source == "" {
		w.Source = "the run's own data set, salted like the run (scheme " + r.Config.Salt.Scheme + ")"
	}
	return w
}
