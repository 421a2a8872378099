package sched_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// TestBranchProperties plays random graphs of turns against random targets; bench.audit checks the accounts on top.
func TestBranchProperties(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		t.Logf("seed %d", seed)
		synctest.Test(t, func(t *testing.T) { branchProperty(t, rand.New(rand.NewPCG(uint64(seed), 2))) })
	}
}

// tangle is a random trajectory of branches. before lists what each turn must wait for, found without trajectory.Graph.
func tangle(r *rand.Rand, id string) (t *trajectory.Trajectory, before map[uint32][]uint32) {
	t, before = &trajectory.Trajectory{ID: id}, map[uint32][]uint32{}
	last := map[uint32]uint32{} // of each branch
	names := r.Perm(20)
	for k := range 1 + r.IntN(14) {
		turn := trajectory.Turn{
			Index: uint32(names[k]), Branch: uint32(r.IntN(5)), Delay: millis(r, 60),
		}
		turn.Recorded = &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"%s answer %d"}`, id, turn.Index)}
		earlier := func() uint32 { return uint32(names[r.IntN(k)]) }
		waits := []uint32{}
		previous, begun := last[turn.Branch]
		if begun {
			waits = append(waits, previous)
		} else if k > 0 && r.IntN(2) == 0 {
			turn.ForkOf = number(earlier())
			waits = append(waits, *turn.ForkOf)
		}
		pieces := []any{fmt.Sprintf("%s turn %d", id, turn.Index)}
		if k > 0 && r.IntN(4) == 0 {
			a := earlier()
			pieces, waits = append(pieces, " holds ", int(a)), append(waits, a)
		}
		if r.IntN(3) == 0 {
			turn.After = after()
			for range r.IntN(min(k, 3) + 1) {
				w := earlier()
				*turn.After, waits = append(*turn.After, w), append(waits, w)
			}
		}
		turn.Append = []trajectory.Message{said(pieces...)}
		t.Turns, before[turn.Index], last[turn.Branch] = append(t.Turns, turn), waits, turn.Index
	}
	shuffle(r, t.Turns)
	return t, before
}

// shuffle changes the order of turns and keeps that of each branch.
func shuffle(r *rand.Rand, turns []trajectory.Turn) {
	for range 3 * len(turns) {
		if i := r.IntN(len(turns)); i > 0 && turns[i].Branch != turns[i-1].Branch {
			turns[i], turns[i-1] = turns[i-1], turns[i]
		}
	}
}

func branchProperty(t *testing.T, r *rand.Rand) {
	b := bench{tangled: true}
	before := map[string]map[uint32][]uint32{}
	for i := range 1 + r.IntN(6) {
		tr, waits := tangle(r, fmt.Sprintf("t%d", i))
		if err := tr.Check(); err != nil {
			t.Fatal(err)
		}
		b.list, before[tr.ID] = append(b.list, tr), waits
	}
	n := 1 + r.IntN(4)
	b.Users, b.Budget = users(n), uint64(1+r.IntN(10))
	if r.IntN(3) == 0 {
		b.Duration, b.Grace = millis(r, 1500)+ms, millis(r, 300)-100*ms
	}
	b.Warmup.Conversations = uint64(r.IntN(3))
	if r.IntN(4) == 0 {
		var cancel context.CancelFunc
		b.ctx, cancel = context.WithCancel(t.Context())
		b.abort = make(chan struct{})
		first := millis(r, 1000)
		time.AfterFunc(first, cancel)
		time.AfterFunc(first+millis(r, 300), func() { close(b.abort) })
	}
	failing := r.IntN(3) == 0
	slots := openTalks{most: n, flights: map[string]int{}}
	b.serve = func(ctx context.Context, c *call) {
		slots.enter(c.header("X-Session-Id"))
		slots.mu.Lock()
		wait, fails := millis(r, 300), failing && r.IntN(12) == 0
		slots.mu.Unlock()
		ok := c.sleep(ctx, wait)
		slots.leave(c.header("X-Session-Id"))
		switch {
		case !ok:
		case fails:
			c.fail(sample.Reset)
		default:
			c.answer(plainAnswer)
		}
	}
	result := b.must(t)
	if b.ctx != t.Context() {
		time.Sleep(2 * time.Second) // let the signals pass, whatever became of them
	}
	for _, fault := range slots.faults {
		t.Error(fault)
	}
	checkTotals(t, &b, result)
	checkGraph(t, &b, before, result)
	checkHistories(t, &b)
}

// openTalks watches that no more conversations have turns in flight than there are users.
type openTalks struct {
	most    int
	mu      sync.Mutex
	flights map[string]int
	faults  []string
}

func (o *openTalks) enter(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flights[id]++
	if len(o.flights) > o.most {
		o.faults = append(o.faults, fmt.Sprintf("%d conversations in flight with %d users", len(o.flights), o.most))
	}
}

func (o *openTalks) leave(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.flights[id]--; o.flights[id] == 0 {
		delete(o.flights, id)
	}
}

// checkGraph checks that each turn was sent once, at the end of all that it waits for and its delay, and that after a failure
// nothing was.
func checkGraph(t *testing.T, b *bench, before map[string]map[uint32][]uint32, result sched.Result) {
	t.Helper()
	samples := map[sample.ID]map[uint32]sample.Sample{}
	for _, s := range b.recorder.samples {
		c := s.Conversation()
		if samples[c] == nil {
			samples[c] = map[uint32]sample.Sample{}
		}
		if _, twice := samples[c][s.Turn]; twice {
			t.Errorf("%v: two samples", s.ID)
		}
		samples[c][s.Turn] = s
	}
	for _, c := range b.recorder.ended {
		turns := samples[c.ID]
		broken := sample.Offset(1 << 62)
		for _, s := range turns {
			if s.Outcome.Failed() {
				broken = min(broken, s.Timing.Done)
			}
		}
		for _, turn := range b.list[c.Index].Turns {
			s := turns[turn.Index]
			checkTurn(t, &s, &turn, turns, before[c.Trajectory][turn.Index], c.Start)
			if s.Timing.Sent.Set() && s.Timing.Sent > broken {
				t.Errorf("%v: sent at %v, the conversation broke at %v", s.ID, s.Timing.Sent, broken)
			}
			if s.Outcome == sample.NotSent && (c.State == sample.Complete || broken == 1<<62 && result.Reason == sched.ReasonComplete) {
				t.Errorf("%v: not sent, conversation %s, run %s", s.ID, c.State, result.Reason)
			}
		}
	}
}

func checkTurn(t *testing.T, s *sample.Sample, turn *trajectory.Turn, turns map[uint32]sample.Sample, waits []uint32, start sample.Offset) {
	t.Helper()
	due := start
	for _, w := range waits {
		if !s.Timing.Sent.Set() {
			return
		}
		if turns[w].Outcome != sample.OK {
			t.Errorf("%v: sent, and turn %d is %s", s.ID, w, turns[w].Outcome)
		}
		due = max(due, turns[w].Timing.Done)
	}
	if due += sample.Offset(turn.Delay); s.Timing.Sent.Set() && (s.Timing.Due != due || s.Timing.Sent != due) {
		t.Errorf("%v: due %v and sent %v, want %v", s.ID, time.Duration(s.Timing.Due), time.Duration(s.Timing.Sent), time.Duration(due))
	}
	if s.Waits != nil && !slices.Equal(slices.Compact(slices.Sorted(slices.Values(waits))), slices.Sorted(slices.Values(s.Waits))) {
		t.Errorf("%v: waited for %v, want %v", s.ID, s.Waits, waits)
	}
}

// checkHistories checks that each request holds what was said on its branch, and before its branch forked.
func checkHistories(t *testing.T, b *bench) {
	t.Helper()
	want := map[string]string{} // by the last message
	for _, tr := range b.list {
		for i := range tr.Turns {
			list := told(tr.Turns, i)
			want[list[len(list)-1]] = strings.Join(list, " | ")
		}
	}
	for _, body := range b.issuer.bodies {
		var r struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range r.Messages {
			got = append(got, m.Content)
		}
		if last := got[len(got)-1]; want[last] != strings.Join(got, " | ") {
			t.Errorf("%s: history %q, want %q", last, got, want[last])
		}
	}
}

// told are the messages of turn i's request.
func told(turns []trajectory.Turn, i int) (list []string) {
	at := func(turn uint32) int {
		return slices.IndexFunc(turns, func(t trajectory.Turn) bool { return t.Index == turn })
	}
	before := -1
	for k := range turns[:i] {
		if turns[k].Branch == turns[i].Branch {
			before = k
		}
	}
	if before < 0 && turns[i].ForkOf != nil {
		before = at(*turns[i].ForkOf)
	}
	if before >= 0 {
		list = append(told(turns, before), content(turns[before].Recorded.JSON))
	}
	text := ""
	for _, p := range turns[i].Append[0].Composed.Pieces {
		if p.AnswerOfTurn != nil {
			text += content(turns[at(*p.AnswerOfTurn)].Recorded.JSON)
		}
		text += string(p.Text)
	}
	return append(list, text)
}

func content(message json.RawMessage) string {
	var m struct{ Content string }
	if err := json.Unmarshal(message, &m); err != nil {
		return err.Error()
	}
	return m.Content
}
