package sched_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// talk is a trajectory of user turns with these tool delays.
func talk(id string, delays ...time.Duration) *trajectory.Trajectory {
	t := &trajectory.Trajectory{ID: id}
	for i, d := range delays {
		t.Turns = append(t.Turns, trajectory.Turn{
			Index: uint32(i), Delay: d,
			Append:   []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"%s q%d"}`, id, i+1)}},
			Recorded: &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"%s a%d"}`, id, i+1)},
		})
	}
	return t
}

func talks(n, turns int) (list []*trajectory.Trajectory) {
	for i := range n {
		list = append(list, talk(fmt.Sprintf("t%d", i), make([]time.Duration, turns)...))
	}
	return list
}

// rows reads a flat data set of the cases.
func rows(t *testing.T, data []byte) (list []*trajectory.Trajectory) {
	t.Helper()
	for line := range bytes.Lines(bytes.TrimSpace(data)) {
		var row struct {
			ConversationID string `json:"conversation_id"`
			Role           string
			Content        json.RawMessage
			ToolCalls      json.RawMessage `json:"tool_calls"`
			DelayMS        int             `json:"delay_ms"`
			ToolResults    []struct {
				ToolCallID string `json:"tool_call_id"`
				Content    string
			} `json:"tool_results"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 || list[len(list)-1].ID != row.ConversationID {
			list = append(list, &trajectory.Trajectory{ID: row.ConversationID, Index: uint64(len(list))})
		}
		tr := list[len(list)-1]
		if row.Role == "assistant" {
			m := `{"role":"assistant","content":` + string(row.Content)
			if row.ToolCalls != nil {
				m += `,"tool_calls":` + string(row.ToolCalls)
			}
			tr.Turns[len(tr.Turns)-1].Recorded = &trajectory.Message{JSON: json.RawMessage(m + "}")}
			continue
		}
		turn := trajectory.Turn{Index: uint32(len(tr.Turns)), Delay: time.Duration(row.DelayMS) * time.Millisecond}
		if row.Role == "user" {
			turn.Append = append(turn.Append, trajectory.Message{JSON: json.RawMessage(`{"role":"user","content":` + string(row.Content) + `}`)})
		}
		for _, res := range row.ToolResults {
			turn.Append = append(turn.Append, trajectory.Message{
				JSON: fmt.Appendf(nil, `{"role":"tool","tool_call_id":%q,"content":%q}`, res.ToolCallID, res.Content),
			})
		}
		tr.Turns = append(tr.Turns, turn)
	}
	return list
}

// source plans from a list.
type source struct {
	list  []*trajectory.Trajectory
	delay time.Duration
	fail  func(index uint64, call int) error

	mu    sync.Mutex
	calls map[uint64]int
}

func (s *source) Plan(ctx context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	s.mu.Lock()
	if s.calls == nil {
		s.calls = map[uint64]int{}
	}
	s.calls[index]++
	call := s.calls[index]
	s.mu.Unlock()
	if s.delay > 0 {
		select {
		case <-time.After(s.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.fail != nil {
		if err := s.fail(index, call); err != nil {
			return nil, err
		}
	}
	return s.list[index%uint64(len(s.list))], nil
}

// call is one request as an issuer sees it.
type call struct {
	number int // 1-based, in order of arrival
	req    *chat.Request
	x      *sample.Exchange
	epoch  time.Time
}

func (c *call) now() sample.Offset { return sample.At(c.epoch, time.Now()) }
func (c *call) body() string       { return string(bytes.Join(c.req.Body, nil)) }

func (c *call) header(name string) string {
	for _, h := range c.req.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

// sleep waits, or ends the call as the run's end or the turn's limit does.
func (c *call) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		c.x.Outcome = sample.Cancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			c.x.Outcome = sample.Timeout
		}
		c.x.Timing.Done = c.now()
		return false
	}
}

// answer ends the call as a good one of two tokens.
func (c *call) answer(message string) {
	c.x.Outcome, c.x.Status = sample.OK, 200
	c.x.Answer = &chat.Answer{Message: json.RawMessage(message), Usage: chat.Usage{Reported: true, CompletionTokens: 2}}
	c.x.Timing.LastToken, c.x.Timing.Done = c.now(), c.now()
}

func (c *call) fail(o sample.Outcome) {
	c.x.Outcome = o
	c.x.Timing.Done = c.now()
}

const plainAnswer = `{"role":"assistant","content":"ok"}`

// steady answers after a first and a last wait.
func steady(first, rest time.Duration) func(context.Context, *call) {
	return func(ctx context.Context, c *call) {
		if !c.sleep(ctx, first) {
			return
		}
		c.x.Timing.FirstToken = c.now()
		if c.sleep(ctx, rest) {
			c.answer(plainAnswer)
		}
	}
}

// issuer is a scripted target.
type issuer struct {
	epoch time.Time
	serve func(context.Context, *call)

	mu     sync.Mutex
	bodies []string
}

func (i *issuer) Issue(ctx context.Context, req *chat.Request, x *sample.Exchange) {
	c := &call{req: req, x: x, epoch: i.epoch}
	i.mu.Lock()
	i.bodies = append(i.bodies, c.body())
	c.number = len(i.bodies)
	i.mu.Unlock()
	x.Timing.Sent = c.now()
	i.serve(ctx, c)
}

// recorder keeps everything.
type recorder struct {
	mu      sync.Mutex
	planned []string

	plannedIn []string // with the workload's name
	started   []sample.Conversation
	ended     []sample.Conversation
	samples   []sample.Sample
	sent      []sample.ID
	stepped   []sample.ID
	phases    []string
}

func (r *recorder) PlannedIn(workload string, t *trajectory.Trajectory, repeat uint32) {
	r.keep(func() {
		r.planned = append(r.planned, fmt.Sprintf("%s/%d", t.ID, repeat))
		r.plannedIn = append(r.plannedIn, fmt.Sprintf("%s/%s/%d", workload, t.ID, repeat))
	})
}
func (r *recorder) Started(c *sample.Conversation) {
	r.keep(func() { r.started = append(r.started, *c) })
}
func (r *recorder) Sent(id sample.ID, _ sample.Offset, _ int64) {
	r.keep(func() { r.sent = append(r.sent, id) })
}
func (r *recorder) Sampled(s *sample.Sample) { r.keep(func() { r.samples = append(r.samples, *s) }) }
func (r *recorder) Stepped(id sample.ID, _ *trajectory.Step, _, _ sample.Offset) {
	r.keep(func() { r.stepped = append(r.stepped, id) })
}
func (r *recorder) Ended(c *sample.Conversation) { r.keep(func() { r.ended = append(r.ended, *c) }) }
func (r *recorder) Phase(p sample.Phase, at sample.Offset) {
	r.keep(func() { r.phases = append(r.phases, fmt.Sprintf("%s %v", p, time.Duration(at))) })
}

func (r *recorder) keep(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

// outcomes counts samples by outcome, not_sent with its cause.
func (r *recorder) outcomes() map[string]int {
	m := map[string]int{}
	for _, s := range r.samples {
		key := string(s.Outcome)
		if s.Outcome == sample.NotSent {
			key += " " + s.Cause
		}
		m[key]++
	}
	return m
}

func (r *recorder) states() map[sample.State]int {
	m := map[sample.State]int{}
	for _, c := range r.ended {
		m[c.State]++
	}
	return m
}

// of returns the samples of one trajectory's conversations, in order of recording.
func (r *recorder) of(id string) (list []sample.Sample) {
	for _, s := range r.samples {
		if s.Trajectory == id {
			list = append(list, s)
		}
	}
	return list
}

// bench is one run to be made.
type bench struct {
	sched.Config
	list    []*trajectory.Trajectory
	serve   func(context.Context, *call)
	source  *source
	folder  sched.Folder
	supply  map[string]sched.Supply // of a mix
	ctx     context.Context
	tangled bool // turns are not listed by their indexes
	abort   chan struct{}

	tokenizer sched.Tokenizer

	issuer   *issuer
	recorder *recorder
	progress sched.Progress
	took     time.Duration
}

// run makes the run. It fails the test where a conversation's accounts do not close.
func (b *bench) run(t testing.TB) (sched.Result, error) {
	t.Helper()
	if b.Workload == "" && len(b.Mix) == 0 {
		b.Workload = "test/list"
	}
	if b.Info.Trajectories == 0 && len(b.Mix) == 0 {
		b.Info.Trajectories = uint64(len(b.list))
	}
	if b.source == nil {
		b.source = &source{}
	}
	b.source.list = b.list
	if b.ctx == nil {
		b.ctx = t.Context()
	}
	epoch := time.Now()
	b.issuer, b.recorder = &issuer{epoch: epoch, serve: b.serve}, &recorder{}
	result, err := sched.Run(b.ctx, sched.Needs{
		Source: b.source, Folder: b.folder, Workloads: b.supply, Issuer: b.issuer, Recorder: b.recorder, Progress: &b.progress, Abort: b.abort,
		Tokenizer: b.tokenizer,
	}, b.Config, epoch)
	b.took = time.Since(epoch)
	b.audit(t)
	return result, err
}

func branches(list []sample.Sample) bool {
	return slices.ContainsFunc(list, func(s sample.Sample) bool { return s.Branch > 0 || s.Waits != nil })
}

func (b *bench) must(t testing.TB) sched.Result {
	t.Helper()
	result, err := b.run(t)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// audit checks what holds for every run: each planned turn of a started conversation has exactly one sample, turns in
// order, and every conversation ends once.
func (b *bench) audit(t testing.TB) {
	t.Helper()
	r := b.recorder
	samples := map[sample.ID][]sample.Sample{}
	for _, s := range r.samples {
		samples[s.Conversation()] = append(samples[s.Conversation()], s)
	}
	ends := map[sample.ID]sample.Conversation{}
	for _, c := range r.ended {
		if _, twice := ends[c.ID]; twice {
			t.Errorf("%v ended twice", c.ID)
		}
		ends[c.ID] = c
	}
	for _, c := range r.started {
		end, ok := ends[c.ID]
		if !ok {
			t.Errorf("%v never ended", c.ID)
		}
		got := samples[c.ID]
		if len(got) != end.Planned {
			t.Errorf("%v: %d samples for %d planned turns", c.ID, len(got), end.Planned)
		}
		for i, s := range got {
			if i > 0 && s.Turn <= got[i-1].Turn && !b.tangled && !branches(got) {
				t.Errorf("%v: turn %d after turn %d", c.ID, s.Turn, got[i-1].Turn)
			}
		}
		delete(samples, c.ID)
	}
	if len(samples) > 0 {
		t.Errorf("%d conversations have samples and were never started", len(samples))
	}
	if n := b.progress.Counts(); n.Users != 0 || n.InFlight != 0 || n.Started != n.Ended {
		t.Errorf("at the end: %+v", n)
	}
}

func users(n int) load.Pattern { return load.Constant(n) }

const ms = time.Millisecond

func at(d time.Duration) sample.Offset { return sample.Offset(d) }

func decode(t *testing.T, name, file string, v any) coretest.Case {
	t.Helper()
	c := coretest.LoadCase(t, name)
	c.Decode(t, file, v)
	return c
}

func contains(list []string, part string) bool {
	for _, s := range list {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
