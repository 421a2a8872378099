package judge

import (
	"cmp"
	"encoding/json"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Defaults and bounds.
const (
	DefaultWorkers       = 2
	DefaultMaxFindings   = 1000
	DefaultMaxUnitErrors = 100
	DefaultReplays       = 16

	// MaxAccount bounds the account of a batch, and the folded one.
	MaxAccount = 1 << 20
)

// Config is what was run, and how it is judged. Zero numbers are the defaults.
type Config struct {
	Run       *journal.Run
	RunConfig json.RawMessage // run.json
	Seed      uint64          // the run's root seed
	// InWindow tells which samples count; nil: none does.
	InWindow func(*sample.Sample) bool

	// How requests were made, needed where a judge asks for what was sent.
	History  chat.HistoryRule // empty: Recorded, or Live for a live workload
	Thinking chat.Thinking    // of live answers; empty: chat.Keep
	// ToolResults says what became of parallel tool calls; empty: chat.Apart.
	ToolResults chat.ToolResults
	// RequireContent says that assistant messages without a content got an empty one.
	RequireContent bool
	Salter         *chat.Salter // nil: texts are given without their salts
	// Composer makes the messages that plans give only in outline; nil: plans with such messages are refused.
	Composer *filler.Composer
	// Workloads tells of each workload of a mix, by its name, what History and Info tell of the one.
	Workloads map[string]Workload
	Info      trajectory.Info // the workload's defaults, and whether it is live
	Params    json.RawMessage // the run's parameters, above the workload's defaults
	Override  json.RawMessage // parameters above all others

	Workers     int // batches that are judged at the same time; it never changes a result
	MaxFindings int // findings of one judge that are kept; the rest is counted
	// MaxUnitErrors is how many units of one judge may fail before it is given up.
	MaxUnitErrors int
	Replays       int             // batches that are judged again to prove determinism; negative: none
	OnProgress    func(Progress)  // called after each batch, by one goroutine at a time; nil: not wanted
	Telemetry     json.RawMessage // for judges that need it; nil: made from the run's records
}

// Progress tells how far one judge is, in samples; an evaluator in its own items.
type Progress struct {
	Name        string
	Done, Total int
	Items       bool   // items of an evaluator
	Status      string // an evaluator's own words, on one line
}

// Material is a finished run, ready to be judged: its samples in judging order, and what counters said of them. Judges are
// asked one after another; its methods are not safe for concurrent use.
type Material struct {
	c      Config
	order  []int // indexes in Run.Samples
	convs  map[conversation]*sample.Conversation
	plans  journal.PlanIndex
	lives  map[conversation][]*journal.Live
	counts []*verdict.Count // by index in Run.Samples
}

// conversation is the identity of one conversation. It compares.
type conversation struct {
	workload, trajectory string
	index                uint64
	repeat, attempt      uint32
}

func of(id *sample.ID) conversation {
	return conversation{id.Workload, id.Trajectory, id.Index, id.Repeat, id.Attempt}
}

// New readies a run for its judges. The judging order is (workload, trajectory index, repeat, attempt), and the run's own
// order of turns inside a conversation; the samples that were not sent are among them.
func New(c Config) *Material {
	c = c.withDefaults()
	if c.Run.Content == nil { // a run that was made, not read
		run := *c.Run
		run.Content = journal.MemoryContents{}
		c.Run = &run
	}
	m := &Material{
		c: c, order: make([]int, len(c.Run.Samples)), convs: map[conversation]*sample.Conversation{}, plans: c.Run.PlanIndex(),
		lives: map[conversation][]*journal.Live{}, counts: make([]*verdict.Count, len(c.Run.Samples)),
	}
	for i := range m.order {
		m.order[i] = i
	}
	slices.SortStableFunc(m.order, func(i, j int) int {
		a, b := &c.Run.Samples[i].ID, &c.Run.Samples[j].ID
		return cmp.Or(
			cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Trajectory, b.Trajectory),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Attempt, b.Attempt),
		)
	})
	for i := range c.Run.Conversations {
		m.convs[of(&c.Run.Conversations[i].ID)] = &c.Run.Conversations[i]
	}
	for i := range c.Run.Lives {
		k := of(&c.Run.Lives[i].ID)
		m.lives[k] = append(m.lives[k], &c.Run.Lives[i])
	}
	return m
}

func (c Config) withDefaults() Config {
	c.Workers = defaulted(c.Workers, DefaultWorkers)
	c.MaxFindings = defaulted(c.MaxFindings, DefaultMaxFindings)
	c.MaxUnitErrors = defaulted(c.MaxUnitErrors, DefaultMaxUnitErrors)
	if c.Replays == 0 {
		c.Replays = DefaultReplays
	}
	return c
}

func defaulted(n, other int) int {
	if n <= 0 {
		return other
	}
	return n
}

// Counts returns what the counters said, by index in Run.Samples; nil where none counted. Metrics read them.
func (m *Material) Counts() []*verdict.Count { return m.counts }

// sample returns the sample at a place in the judging order.
func (m *Material) sample(place int) *sample.Sample { return &m.c.Run.Samples[m.order[place]] }

// conversationEnd returns the place after the last sample of the conversation that holds place.
func (m *Material) conversationEnd(place int) int {
	k := of(&m.sample(place).ID)
	for place++; place < len(m.order) && of(&m.sample(place).ID) == k; place++ {
	}
	return place
}

// unitEnd returns the place after the last sample of the unit that begins at place.
func (m *Material) unitEnd(u verdict.Unit, place int) int {
	if u == verdict.UnitConversation {
		return m.conversationEnd(place)
	}
	return place + 1
}
