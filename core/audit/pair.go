package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
)

// Recorded is one pass as its folder holds it.
type Recorded struct {
	Config *journal.RunConfig
	Digest digest.SHA256 // of run.json
	Run    *journal.Run
}

// Read reads one pass from its run folder, each file once.
func Read(dir string) (*Recorded, error) {
	config, sum, err := journal.ReadRunConfig(dir)
	if err != nil {
		return nil, err
	}
	run, err := journal.Read(dir)
	if err != nil {
		return nil, err
	}
	return &Recorded{config, sum, run}, nil
}

// place is where a turn stands; users may differ between passes.
type place struct {
	workload     string
	index        uint64
	repeat       uint32
	turn, branch uint32
}

// pair is one turn of both passes, ok in both.
type pair struct {
	place   place
	number  int // of the turn in its trajectory, 1-based
	both    [2]*sample.Sample
	sampled bool // at temperature 1 without a seed
}

// same makes sure that both passes sent the same requests.
func same(a, b *Recorded) error {
	shapes := [2]shape{}
	for i, r := range []*Recorded{a, b} {
		s, err := shapeOf(r.Config)
		if err != nil {
			return err
		}
		shapes[i] = s
	}
	if field := shapes[0].differs(&shapes[1]); field != "" {
		return fmt.Errorf("runs %s and %s did not send the same requests: they differ in %s", a.Config.Run, b.Config.Run, field)
	}
	plans := map[place]digest.SHA256{}
	for _, p := range a.Run.Plans {
		plans[place{workload: p.Workload, index: p.Index}] = p.Content
	}
	for _, p := range b.Run.Plans {
		if before, ok := plans[place{workload: p.Workload, index: p.Index}]; ok && before != p.Content {
			return fmt.Errorf("runs %s and %s did not send the same requests: trajectory %q was planned differently", a.Config.Run, b.Config.Run, p.Trajectory)
		}
	}
	return nil
}

// shape is what of a run's configuration shapes the bodies of its requests.
type shape struct {
	Seed     string           `json:"-"`
	Salt     journal.Salt     `json:"-"`
	Endpoint string           `json:"-"`
	Targets  []string         `json:"-"`
	Inputs   []journal.Input  `json:"-"`
	Plugins  []journal.Plugin `json:"-"`

	Target struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Usage  bool   `json:"usage"`
	} `json:"target"`
	Workload  json.RawMessage `json:"workload"`
	Workloads json.RawMessage `json:"workloads"`
	Params    json.RawMessage `json:"params"`
	Override  json.RawMessage `json:"override"`
	MaxTokens uint32          `json:"max_tokens"`
	History   string          `json:"history"`
}

func shapeOf(c *journal.RunConfig) (shape, error) {
	var s shape
	if err := json.Unmarshal(c.Config, &s); err != nil {
		return s, fmt.Errorf("read configuration of run %s: %w", c.Run, err)
	}
	s.Seed, s.Salt, s.Endpoint, s.Inputs, s.Plugins = c.Seed, c.Salt, c.Endpoint, c.Inputs, c.Plugins
	for _, t := range c.Targets {
		s.Targets = append(s.Targets, fmt.Sprintf("%s %s %d", t.Name, t.Endpoint, t.Weight))
	}
	if s.History == "live" {
		return s, fmt.Errorf("run %s has a live history: its requests hold the answers, so two passes cannot be the same", c.Run)
	}
	if !s.Target.Stream {
		return s, fmt.Errorf("run %s did not stream: nothing is known about the pace of its tokens", c.Run)
	}
	return s, nil
}

// differs names the first field in which two shapes differ.
func (s *shape) differs(o *shape) string {
	for _, f := range []struct {
		name  string
		equal bool
	}{
		{"the seed", s.Seed == o.Seed}, {"the salt", s.Salt == o.Salt}, {"the endpoint", s.Endpoint == o.Endpoint},
		{"the targets", slices.Equal(s.Targets, o.Targets)},
		{"the inputs", slices.Equal(s.Inputs, o.Inputs)}, {"the plugins", slices.Equal(s.Plugins, o.Plugins)},
		{"target", s.Target == o.Target}, {"workload", bytes.Equal(s.Workload, o.Workload)},
		{"workloads", bytes.Equal(s.Workloads, o.Workloads)}, {"params", bytes.Equal(s.Params, o.Params)},
		{"override", bytes.Equal(s.Override, o.Override)}, {"max_tokens", s.MaxTokens == o.MaxTokens}, {"history", s.History == o.History},
	} {
		if !f.equal {
			return f.name
		}
	}
	return ""
}

// pairs finds the turns that are ok in both passes, in the order of the plan.
func pairs(a, b *Recorded) ([]pair, error) {
	second := map[place]*sample.Sample{}
	for i := range b.Run.Samples {
		s := &b.Run.Samples[i]
		if usable(s) {
			second[placeOf(s)] = s
		}
	}
	how, err := sampling(a)
	if err != nil {
		return nil, err
	}
	var all []pair
	number := map[place]int{} // turns of a conversation so far
	for i := range a.Run.Samples {
		s := &a.Run.Samples[i]
		at := placeOf(s)
		conversation := at
		conversation.turn, conversation.branch = 0, 0
		number[conversation]++
		other := second[at]
		if !usable(s) || other == nil || s.RequestBytes != other.RequestBytes {
			continue
		}
		all = append(all, pair{at, number[conversation], [2]*sample.Sample{s, other}, how[place{workload: at.workload, index: at.index, turn: at.turn}]})
	}
	return all, nil
}

func placeOf(s *sample.Sample) place {
	return place{s.Workload, s.Index, s.Repeat, s.Turn, s.Branch}
}

func usable(s *sample.Sample) bool {
	return s.Outcome == sample.OK && s.Phase != sample.Warmup && s.Answer != nil && s.Timing.FirstToken.Set() && s.Timing.LastToken.Set()
}

// sampling says of each planned turn whether its request leaves the answer to chance: temperature 1 and no seed.
func sampling(r *Recorded) (map[place]bool, error) {
	s, err := shapeOf(r.Config)
	if err != nil {
		return nil, err
	}
	var mixed map[string]struct {
		Params json.RawMessage `json:"params"`
	}
	if len(s.Workloads) > 0 {
		if err := json.Unmarshal(s.Workloads, &mixed); err != nil {
			return nil, fmt.Errorf("read configuration of run %s: %w", r.Config.Run, err)
		}
	}
	defaults := map[string]json.RawMessage{r.Config.Workload.Name: r.Config.Workload.Params}
	for _, w := range r.Config.Workloads {
		defaults[w.Name] = w.Params
	}
	how := map[place]bool{}
	done := map[place]bool{}
	for _, p := range r.Run.Plans {
		at := place{workload: p.Workload, index: p.Index}
		if done[at] {
			continue
		}
		done[at] = true
		t, err := journal.DecodeTrajectory(r.Run.Content, p.Content)
		if err != nil {
			return nil, err
		}
		for _, turn := range t.Turns {
			merged, err := merge(defaults[p.Workload], s.Params, mixed[p.Workload].Params, t.Params, turn.Params, s.Override)
			if err != nil {
				return nil, fmt.Errorf("trajectory %q: %w", t.ID, err)
			}
			how[place{workload: p.Workload, index: p.Index, turn: turn.Index}] = byChance(merged.JSON())
		}
	}
	return how, nil
}

// merge puts parameters together, lowest first; null says nothing.
func merge(params ...json.RawMessage) (chat.Params, error) {
	var layers []chat.Layer
	for _, p := range params {
		if string(p) != "null" {
			layers = append(layers, chat.Layer{Params: p})
		}
	}
	return chat.Merge(layers...)
}

func byChance(params []byte) bool {
	var p struct {
		Temperature *float64        `json:"temperature"`
		Seed        json.RawMessage `json:"seed"`
	}
	return json.Unmarshal(params, &p) == nil && p.Temperature != nil && *p.Temperature == 1 && p.Seed == nil
}
