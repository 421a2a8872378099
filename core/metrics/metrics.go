package metrics

import "paceline/core/sample"

// Schema is the name and version of the format that Metrics marshals to.
const Schema = "metrics/v1"

// Statuses of a run by its turns.
const (
	StatusOK     = "ok"     // at least one turn succeeded
	StatusFailed = "failed" // none did
)

// Metrics is everything that is computed of one run at one point.
type Metrics struct {
	Schema string `json:"schema"`
	Status string `json:"status"`
	// Window is the chosen one: all figures below Windows that do not say
	// otherwise are of it.
	Window       Span         `json:"window"`
	Windows      []WindowView `json:"windows"`
	Tokens       Tokens       `json:"tokens"`
	Throughput   Throughput   `json:"throughput"`
	PerUser      PerUser      `json:"per_user"`
	Turns        Turns        `json:"turns"`
	Trajectories Trajectories `json:"trajectories"`
	// Branching is left out where no trajectory branches.
	Branching   *Branching  `json:"branching,omitempty"`
	Concurrency Concurrency `json:"concurrency"`
	Failures    Failures    `json:"failures"`
	Answers     Answers     `json:"answers"`
	Cache       Cache       `json:"cache"`
	Goodput     Goodput     `json:"goodput"`
	Cost        *Cost       `json:"cost,omitempty"` // where prices were given
	MLPerf      MLPerf      `json:"mlperf"`
	Trie        Trie        `json:"trie"`
	Groups      Groups      `json:"groups"`
	// Workloads splits the figures of a mix by workload, Targets those of a run by the target that was asked, and Tenants by who
	// the conversations are for; each is left out where there is one.
	Workloads []OfWorkload `json:"workloads,omitempty"`
	Targets   []Part       `json:"targets,omitempty"`
	Tenants   []Part       `json:"tenants,omitempty"`
	// TenantsLeftOut is how many tenants with fewer turns Tenants has no room for.
	TenantsLeftOut int `json:"tenants_left_out,omitempty"`

	Honesty Honesty       `json:"honesty"`
	Rules   Rules         `json:"rules"`
	chosen  Window        // for InWindow
	measure sample.Offset // start of measuring
}

// Span is a window as it is shown: offsets from the epoch in milliseconds.
type Span struct {
	Name    string `json:"name"`
	OpenMS  Milli  `json:"open_ms"`
	CloseMS Milli  `json:"close_ms"`
	// OpenNS and CloseNS are the exact borders.
	OpenNS  int64 `json:"open_ns"`
	CloseNS int64 `json:"close_ns"`
}

// Chosen is the window of the main figures.
func (m *Metrics) Chosen() Window { return m.chosen }

// Compute makes the metrics of a run.
func Compute(in *Input) *Metrics { return ComputeOf(in, nil) }

func (d *data) compute(windows []Window, chosen Window, start sample.Offset) *Metrics {
	m := &Metrics{
		Schema:  Schema,
		Status:  d.status(),
		Window:  spanOf(chosen),
		Rules:   d.rules(),
		chosen:  chosen,
		measure: start,
	}
	for _, w := range windows {
		m.Windows = append(m.Windows, d.view(w, w.Name == chosen.Name))
	}
	m.Tokens = d.tokens(chosen)
	m.Throughput = d.throughput(chosen)
	m.Turns = d.turnFigures(chosen)
	m.Trajectories = d.trajectories(chosen)
	m.Branching = d.branching(chosen)
	m.Concurrency = d.concurrency(chosen)
	m.PerUser = d.perUser(chosen, &m.Throughput)
	m.Failures = d.failures(chosen)
	m.Answers = d.answers(chosen)
	m.Cache = d.cache(chosen)
	m.Goodput = d.goodput(chosen)
	m.Cost = d.cost(chosen, m)
	m.MLPerf = d.mlperf(windows[0])
	m.Trie = d.trie(chosen)
	m.Groups = d.groups(chosen)
	m.Workloads = d.workloads(chosen)
	m.Targets = d.targets(chosen, m)
	m.Tenants, m.TenantsLeftOut = d.tenants(chosen, m)
	m.Honesty = d.honesty()
	return m
}

func (d *data) status() string {
	for _, t := range d.turns {
		if t.ok() {
			return StatusOK
		}
	}
	return StatusFailed
}

func spanOf(w Window) Span {
	return Span{
		Name: w.Name, OpenMS: milli(int64(w.Open)), CloseMS: milli(int64(w.Close)),
		OpenNS: int64(w.Open), CloseNS: int64(w.Close),
	}
}

// Rules is what the figures were computed under, so that anyone can do so again.
type Rules struct {
	Window              string `json:"window"`
	SteadyUsersPermille int64  `json:"steady_users_permille"`
	TrimPPM             int64  `json:"trim_ppm"`
	HandoverMS          Milli  `json:"handover_ms"`
	Load                string `json:"load"` // closed or open
	Users               int    `json:"users"`
	Accelerators        *int   `json:"accelerators"`
	TokenSource         string `json:"token_source"` // which source wins
	History             string `json:"history"`
	Thinking            string `json:"thinking"`
	CacheBlock          int64  `json:"cache_block"`
	QuantileMethod      string `json:"quantile_method"`
	ConfidenceResamples int    `json:"confidence_resamples"`
}
