package sched

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"paceline/core/chat"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// Member is one workload of a run that mixes several.
type Member struct {
	Workload  string           // its name in the run: names the samples and seeds the shuffle
	Info      trajectory.Info  // what the workload says of itself
	Weight    uint32           // of its conversations among those of all; 0: one
	Params    json.RawMessage  // above Config.Params
	MaxTokens uint32           // where the turn says none; 0: Config.MaxTokens
	History   chat.HistoryRule // empty: Live where the workload is live, else Config.History
}

// Supply is where the trajectories of one workload come from.
type Supply struct {
	Source Source
	Folder Folder // live workloads only
}

// members lists the workloads of the run, the one or those of the mix, with every default filled in.
func (c *Config) members() []Member {
	list := []Member{{Workload: c.Workload, Info: c.Info, History: c.History}}
	if c.mixed() {
		list = append([]Member{}, c.Mix...)
	}
	for i := range list {
		m := &list[i]
		m.Weight = max(m.Weight, 1)
		m.MaxTokens = cmp.Or(m.MaxTokens, c.MaxTokens)
		switch {
		case m.History != "":
		case m.Info.Live:
			m.History = chat.Live
		default:
			m.History = cmp.Or(c.History, chat.Recorded)
		}
	}
	return list
}

func (c *Config) mixed() bool { return len(c.Mix) > 0 }

// checkMembers reports what is wrong with the workloads of the run.
func (c *Config) checkMembers() error {
	var errs []error
	if c.mixed() && c.Workload != "" {
		errs = append(errs, fmt.Errorf("workload: %s stands beside a mix of %d", c.Workload, len(c.Mix)))
	}
	for _, m := range c.members() {
		where := ""
		if c.mixed() {
			where = "workload " + m.Workload + ": "
		}
		if m.Workload == "" {
			errs = append(errs, errors.New("workload: no name"))
		}
		if m.History != chat.Recorded && m.History != chat.Live {
			errs = append(errs, fmt.Errorf("%shistory: %q is neither recorded nor live", where, m.History))
		}
		if m.History == chat.Recorded && m.Info.Live {
			errs = append(errs, fmt.Errorf("%shistory: a live workload has no recorded answers", where))
		}
		errs = append(errs, chat.CheckLayer(chat.Layer{Name: "workload " + m.Workload, Params: m.Params}))
	}
	mix := c.mix()
	return errors.Join(append(errs, mix.Check())...)
}

// mix is the order of the run's conversations.
func (c *Config) mix() load.Mix {
	m := load.Mix{Warmup: c.Warmup.Conversations, Shuffle: c.Shuffle, Seed: c.Seed}
	for _, x := range c.members() {
		order := load.Order{Workload: x.Workload, Trajectories: x.Info.Trajectories, Shuffle: c.Shuffle, Seed: c.Seed, Without: c.Reach.Without[x.Workload]}
		m.Members = append(m.Members, load.Member{Order: order, Weight: x.Weight, Limit: c.limit(&x)})
	}
	return m
}

// limit is how many conversations of a workload of a mix are measured before it leaves; 0: it repeats. Workloads leave where
// the run is so many passes over each of them. What a warm-up by time plays nobody knows beforehand, and neither what would
// be left of a pass, so beside one they repeat.
func (c *Config) limit(m *Member) uint64 {
	n := c.length(m)
	if _, fixed := c.Arrivals.Count(); !c.mixed() || c.Budget > 0 || c.Warmup.For > 0 || n == 0 || fixed && c.Passes == 0 {
		return 0
	}
	return n * uint64(max(c.Passes, 1))
}

// length is how many conversations a pass over a workload has; 0: there is one pass without an end.
func (c *Config) length(m *Member) uint64 {
	n := m.Info.Trajectories
	return n - min(n, uint64(len(c.Reach.Without[m.Workload])))
}

// passes is how many conversations so many passes over each workload have, Endless where one has no number of trajectories.
func (c *Config) passes() uint64 {
	var sum uint64
	for _, m := range c.members() {
		n := c.length(&m)
		if n == 0 || n > (math.MaxInt64-sum)/uint64(max(c.Passes, 1)) {
			return load.Endless
		}
		sum += n * uint64(max(c.Passes, 1))
	}
	return sum
}

// member is one workload while the run plays it.
type member struct {
	Member
	Supply
	several  bool // the run has other workloads too
	shells   shells
	failures atomic.Int64 // trajectories in a row that could not be had

	// The following are the queue's, under its lock.
	deal    *load.DealCursor     // nil: there is one target
	pending []*slot              // ahead, and no planner has taken them
	todo    []*slot              // taken by users before anybody planned them
	kept    map[uint64]*keptPlan // of a fixed workload that is repeated
}

// id is the id of a trajectory's conversations in salts and routing headers.
func (m *member) id(trajectory string) string {
	return sample.Qualified(m.Workload, trajectory, m.several)
}

// newMembers readies the workloads of a run.
func newMembers(c *Config, n *Needs) []*member {
	var list []*member
	for _, x := range c.members() {
		m := &member{Member: x, Supply: n.supply(c, x.Workload), several: c.mixed(), deal: c.deal(x.Workload)}
		most := c.total()
		if limit := c.limit(&x); limit > 0 {
			most = min(most, limit+c.Warmup.Conversations)
		}
		if n := c.length(&x); x.Info.Fixed && n > 0 && most > n {
			m.kept = map[uint64]*keptPlan{}
		}
		list = append(list, m)
	}
	return list
}
