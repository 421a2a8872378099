package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"paceline/core/stats"
	"paceline/mlperf/rules"
)

// Summary is result_summary.json. Times are nanoseconds unless a name says otherwise.
type Summary struct {
	Version       string        `json:"version"`
	GitSHA        string        `json:"git_sha"`
	Client        Client        `json:"client"`
	TokenSource   string        `json:"token_source"`
	Head          string        `json:"head_sha256"`
	Rehearsal     bool          `json:"rehearsal,omitempty"`
	Started       int64         `json:"test_started_at"` // Unix seconds
	Issued        int           `json:"n_samples_issued"`
	Completed     int           `json:"n_samples_completed"` // ended ok: the reference counts failed ones here too
	Failed        int           `json:"n_samples_failed"`
	DurationNS    int64         `json:"duration_ns"`
	State         string        `json:"state"`
	Complete      bool          `json:"complete"`
	TTFT          Block         `json:"ttft"`
	TPOT          Block         `json:"tpot"`
	Latency       Block         `json:"latency"`
	Output        Block         `json:"output_sequence_lengths"`
	FullRun       FullRun       `json:"output_sequence_lengths_full_run"`
	Input         Block         `json:"input_sequence_lengths"`
	LegacyWindow  *int64        `json:"legacy_loadgen_window_duration_ns"` // of another load pattern: null
	Tokens        *int64        `json:"output_tokens_per_turn_total,omitempty"`
	TurnSeconds   *float64      `json:"e2e_turn_time_seconds_total,omitempty"`
	Interactivity *float64      `json:"e2e_avg_interactivity,omitempty"`
	SystemTPS     *float64      `json:"system_tps,omitempty"`
	PerUser       *float64      `json:"tps_per_user,omitempty"`
	PerKW         *float64      `json:"system_tps_per_kw,omitempty"`
	QPS           *float64      `json:"qps"`
	TPS           *float64      `json:"tps"`
	Finish        FinishReasons `json:"finish_reason_counts"`
	RunConfig     SummaryConfig `json:"run_config"`
	Target        TargetTold    `json:"reported_by_target"`
}

// FullRun has the output lengths of all turns, those behind the window included.
type FullRun struct {
	Output Block `json:"output_sequence_lengths"`
}

// FinishReasons counts why answers ended.
type FinishReasons struct {
	Stop          int `json:"stop"`
	Length        int `json:"length"`
	ToolCalls     int `json:"tool_calls"`
	ContentFilter int `json:"content_filter"`
	FunctionCall  int `json:"function_call"`
	Other         int `json:"other"`
}

// SummaryConfig repeats what the run was asked for. Seeds stand under the names of both the client's and the rules' files.
type SummaryConfig struct {
	LoadPattern struct {
		Type        string   `json:"type"`
		QPS         *float64 `json:"target_qps"`
		Concurrency int      `json:"target_concurrency"`
	} `json:"load_pattern"`
	Warmup struct {
		Enabled  bool   `json:"enabled"`
		Requests *int   `json:"n_requests"`
		Salt     bool   `json:"salt"`
		Drain    bool   `json:"drain"`
		Seed     uint64 `json:"warmup_random_seed"`
	} `json:"warmup"`
	SchedulerSeed  uint64 `json:"scheduler_random_seed"`
	DataloaderSeed uint64 `json:"dataloader_random_seed"`
	Seeds
}

// Seeds are those of a published set.
type Seeds struct {
	Scheduler   uint64 `json:"scheduler_rng_seed"`
	SampleIndex uint64 `json:"sample_index_rng_seed"`
	Model       uint64 `json:"model_seed"`
}

func seedsOf(s rules.SeedSet) Seeds { return Seeds{s.Scheduler, s.SampleIndex, s.Model} }

// picosecond is how many of TPOT's base units one nanosecond has.
const picosecond = 1000

// Summary computes result_summary.json, but for what needs the system's power.
func (r *Run) Summary(o *Options) *Summary {
	t, client := r.Tracked, clientOf(r.Config.Build)
	s := &Summary{
		Version: client.version(), GitSHA: client.revision(), Client: client, TokenSource: "none", Head: r.Head.String(), Rehearsal: o.Rehearsal,
		Started: r.Journal.Epoch.Add(time.Duration(t.Window.Open)).Unix(),
		Issued:  t.Issued, Completed: t.OK, Failed: t.Failed, DurationNS: int64(t.Last - t.Window.Open),
		State: string(r.Report.Status), Complete: r.Report.Status == "complete",
		TTFT: block(t.TTFT, 1, true), TPOT: block(t.TPOT, picosecond, true), Latency: block(t.Latency, 1, true),
		Output: block(t.Output, 1, false), FullRun: FullRun{block(t.FullRun, 1, false)}, Input: block(t.Input, 1, false),
		QPS: number(stats.Ratio3(int64(t.OK), second, int64(t.Last-t.Window.Open))), Finish: finish(t.Finish),
	}
	if c := r.Counter(); c != nil {
		s.TokenSource = "counter: " + c.Name
	}
	s.rates(r)
	s.RunConfig.LoadPattern.Type, s.RunConfig.LoadPattern.Concurrency = loadPattern, r.Concurrency()
	s.RunConfig.Warmup.Enabled = t.WarmIssued > 0
	s.RunConfig.SchedulerSeed, s.RunConfig.DataloaderSeed = o.Seeds.Scheduler, o.Seeds.SampleIndex
	s.RunConfig.Seeds = seedsOf(o.Seeds)
	s.Target = r.told()
	return s
}

const second = 1_000_000_000

// rates are those of the tokens; nothing is told of what failed turns took part in.
func (s *Summary) rates(r *Run) {
	t := r.Tracked
	var tokens int64
	for _, n := range t.Output {
		tokens += n
	}
	if len(t.Output) == 0 {
		return
	}
	s.TPS = number(stats.Ratio3(tokens, second, s.DurationNS))
	s.SystemTPS = s.TPS
	if t.Failed == 0 {
		s.Tokens, s.TurnSeconds = &tokens, number(stats.Ratio(t.OutputTime, second))
		s.Interactivity = number(stats.Ratio3(tokens, second, t.OutputTime))
	}
	if len(t.TPOT) > 0 {
		p90 := stats.NewSeries(append([]int64{}, t.TPOT...), picosecond).Lower(90)
		s.PerUser = number(stats.Ratio3(second, picosecond, p90))
	}
}

// PowerKW adds the rate per kilowatt of a point.
func (s *Summary) PowerKW(kw float64) {
	if s.SystemTPS != nil && kw > 0 {
		s.PerKW = number(stats.Of(*s.SystemTPS / kw))
	}
}

// number is a figure as a pointer, nil where it is missing.
func number(n stats.Num) *float64 {
	v, ok := n.Get()
	if !ok {
		return nil
	}
	return &v
}

func finish(counts map[string]int) FinishReasons {
	f := FinishReasons{Stop: counts["stop"], Length: counts["length"], ToolCalls: counts["tool_calls"],
		ContentFilter: counts["content_filter"], FunctionCall: counts["function_call"]}
	for _, n := range counts {
		f.Other += n
	}
	f.Other -= f.Stop + f.Length + f.ToolCalls + f.ContentFilter + f.FunctionCall
	return f
}

// MarshalJSON writes {} for a series without values, as the reference does.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Percentiles == nil {
		return []byte("{}"), nil
	}
	type plain Block
	return json.Marshal(plain(b))
}

// JSON writes a value as the files of a package have it: indented, in the order of its fields, without escapes for HTML.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b.Bytes(), nil
}
