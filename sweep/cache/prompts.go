package cache

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// Prompt is the first request of a conversation of the point before.
type Prompt struct {
	id       string // as salts and headers know the trajectory
	repeat   uint32
	messages []json.RawMessage // by the salts of the point before
	opening  *opening          // makes the messages by other salts; nil: they are the trajectory's own
	api      chat.API
	shell    *chat.Shell
	headers  []chat.Header
}

// Salts say how a run salts its requests. A run that draws its seed has none before it starts.
type Salts struct {
	Scheme string
	Seed   *uint64
}

// salter makes the salts; of a seed that is not drawn yet, those of another one.
func (s Salts) salter() (*saltings, error) {
	scheme, err := chat.SaltSchemeByName(s.Scheme)
	if err != nil {
		return nil, err
	}
	seed := rand.Uint64() //nolint:gosec // no secret: it only has to be another one
	if s.Seed != nil {
		seed = *s.Seed
	}
	salter, err := chat.NewSalter(scheme, seed)
	return &saltings{salter, seed}, err
}

// Before is what is known of the point before.
type Before struct {
	Prompts []Prompt
	Salts   Salts
}

// Same says whether a coming point with such salts would send a prompt of the point before byte for byte again, so that what is left
// of it in the cache could be found.
func (b *Before) Same(next Salts) (bool, error) {
	was, err := b.Salts.salter()
	if err != nil {
		return false, err
	}
	will, err := next.salter()
	if err != nil {
		return false, err
	}
	for i := range b.Prompts {
		first, err := b.Prompts[i].request(was)
		if err != nil {
			return false, err
		}
		second, err := b.Prompts[i].request(will)
		if err != nil {
			return false, err
		}
		if slices.EqualFunc(first.Body, second.Body, bytes.Equal) {
			return true, nil
		}
	}
	return false, nil
}

// maxProbes is how many trajectories are asked about: few, since what they leave must be emptied again.
const maxProbes = 4

// made says how the requests of a run were made, as its run file (schemas/run/v1) has it.
type made struct {
	Params   json.RawMessage `json:"params"`
	Override json.RawMessage `json:"override"`
	Headers  []string        `json:"routing_headers"`
	Target   struct {
		Model        string   `json:"model"`
		Stream       bool     `json:"stream"`
		MaxTokensKey string   `json:"max_tokens_key"`
		API          chat.API `json:"api"`
	} `json:"target"`
	Workloads map[string]struct {
		Params json.RawMessage `json:"params"`
	} `json:"workloads"`
}

// Read takes the first requests that one target was asked, of a run folder, also of one that a crash cut short; target is its
// name, and a run with one target has none. A run that started no conversation has no requests.
func Read(dir, target string) (*Before, error) {
	config, _, err := journal.ReadRunConfig(dir)
	if err != nil {
		return nil, err
	}
	run, err := journal.Read(dir)
	if err != nil {
		return nil, err
	}
	seed, err := strconv.ParseUint(config.Seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read seed of %s: %w", dir, err)
	}
	b := &Before{Salts: Salts{config.Salt.Scheme, &seed}}
	r := reader{config: config, run: run, plans: run.PlanIndex()}
	if err := json.Unmarshal(config.Config, &r.how); err != nil {
		return nil, fmt.Errorf("read configuration of %s: %w", dir, err)
	}
	for _, c := range slices.Backward(run.Conversations) { // by start: the latest are the likeliest to be cached still
		if len(b.Prompts) == maxProbes {
			break
		}
		if c.Target != target {
			continue
		}
		p, ok, err := r.prompt(&c)
		if err != nil {
			return nil, fmt.Errorf("read first requests of %s: %w", dir, err)
		}
		if ok && !slices.ContainsFunc(b.Prompts, p.shares) {
			b.Prompts = append(b.Prompts, p)
		}
	}
	return b, nil
}

// reader reads prompts of one run.
type reader struct {
	config *journal.RunConfig
	run    *journal.Run
	plans  journal.PlanIndex
	how    made
}

// prompt is the first request of a conversation; ok is false where it has none.
func (r *reader) prompt(c *sample.Conversation) (p Prompt, ok bool, err error) {
	plan := r.plans.Find(c.ID)
	if plan == nil || c.Part.Inside() { // then its first request is no trajectory's first
		return p, false, nil
	}
	t, err := journal.DecodeTrajectory(r.run.Content, plan.Content)
	if err != nil || len(t.Turns) == 0 {
		return p, false, err
	}
	if holdsAnswer(t.Turns[0].Append) {
		return p, false, nil // so it is no first request
	}
	p = Prompt{id: sample.Qualified(c.Workload, t.ID, r.config.Mixed()), repeat: c.Repeat, api: r.how.Target.API}
	if err := p.read(t, c, r.config); err != nil {
		return p, false, err
	}
	id := p.id
	if p.repeat > 0 {
		id = fmt.Sprintf("%s__repeat_%d", id, uint64(p.repeat)+1)
	}
	for _, name := range r.how.Headers {
		p.headers = append(p.headers, chat.Header{Name: name, Value: id})
	}
	p.shell, err = r.shell(c.Workload, t)
	return p, err == nil, err
}

// read takes the first messages of a trajectory.
func (p *Prompt) read(t *trajectory.Trajectory, c *sample.Conversation, config *journal.RunConfig) error {
	if p.opening = composed(t, c.Workload, c.Repeat, config); p.opening != nil {
		seed, err := strconv.ParseUint(config.Seed, 10, 64)
		if err != nil {
			return err
		}
		s, err := Salts{config.Salt.Scheme, &seed}.salter()
		if err == nil {
			p.messages, err = p.opening.messages(s)
		}
		return err
	}
	for _, m := range t.Turns[0].Append {
		p.messages = append(p.messages, m.JSON)
	}
	return nil
}

// shell is what surrounds the messages, as the scheduler makes it. One token is asked for.
func (r *reader) shell(workload string, t *trajectory.Trajectory) (*chat.Shell, error) {
	info, own := r.config.Workload, json.RawMessage(nil)
	for _, w := range r.config.Workloads {
		if w.Name == workload {
			info, own = w, r.how.Workloads[workload].Params
		}
	}
	params, err := chat.Merge(
		chat.Layer{Name: "the workload", Params: info.Params}, chat.Layer{Name: "the run", Params: known(r.how.Params)},
		chat.Layer{Name: "the run's workload", Params: known(own)}, chat.Layer{Name: "the trajectory", Params: t.Params},
		chat.Layer{Name: "the turn", Params: t.Turns[0].Params}, chat.Layer{Name: "the run's override", Params: known(r.how.Override)})
	if err != nil {
		return nil, err
	}
	tools := t.Tools
	if tools == nil {
		tools = info.Tools
	}
	wire := chat.Wire{
		Model: r.how.Target.Model, Stream: r.how.Target.Stream, IncludeUsage: true, MaxTokensKey: cmp.Or(r.how.Target.MaxTokensKey, chat.MaxTokens),
		API: r.how.Target.API,
	}
	if l := r.config.Lengths; l != nil && l.Mode == filler.Exact {
		wire.API = chat.APICompletions
	}
	return wire.Shell(params, tools, 1)
}

// known turns a JSON null into nothing.
func known(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// sharedBytes is how much of their messages two prompts may have in common: about a role, a salt and a word.
const sharedBytes = 96

// shares says whether two prompts begin alike, so that asking one would let the other be found.
func (p Prompt) shares(other Prompt) bool {
	a, b := slices.Concat(p.messages...), slices.Concat(other.messages...)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n > sharedBytes || n == len(a) || n == len(b)
}

// request is the prompt with the salts of a run of that scheme and seed.
func (p *Prompt) request(s *saltings) (r *chat.Request, err error) {
	messages := slices.Clone(p.messages)
	if p.opening != nil {
		if messages, err = p.opening.messages(s); err != nil {
			return nil, err
		}
	}
	if p.opening.exact() {
		r, err = p.shell.Tokens(chat.Bytes(messages))
	} else {
		r, err = p.body(s, messages)
	}
	if err != nil {
		return nil, err
	}
	r.Headers = p.headers
	return r, nil
}

// body is the request of messages, salted unless filler is their salt.
func (p *Prompt) body(s *saltings, messages []json.RawMessage) (*chat.Request, error) {
	if p.opening == nil || !filler.OwnSalt(p.opening.turns) {
		at, salted, err := s.Salt(messages, p.id, p.repeat)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			messages[at] = salted
		}
	}
	messages, err := p.api.Translate(messages...)
	return p.shell.Body(chat.Bytes(messages)), err
}
