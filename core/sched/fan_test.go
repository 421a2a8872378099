package sched_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

func after(turns ...uint32) *[]uint32 { return &turns }

func number(n uint32) *uint32 { return &n }

// said is a user message of text and answers.
func said(pieces ...any) trajectory.Message {
	c := trajectory.Composed{Role: "user"}
	for _, p := range pieces {
		switch p := p.(type) {
		case string:
			c.Pieces = append(c.Pieces, trajectory.Piece{Text: []byte(p)})
		case int:
			c.Pieces = append(c.Pieces, trajectory.Piece{AnswerOfTurn: number(uint32(p))})
		}
	}
	return trajectory.Message{Composed: &c}
}

// delegating is an agent with three sub-agents: its first turn forks two of them and starts one with a history of its own,
// each plays two turns, and its last turn holds their answers.
func delegating(id string) *trajectory.Trajectory {
	line := func(text string) []trajectory.Message {
		return []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"%s %s"}`, id, text)}}
	}
	t := &trajectory.Trajectory{ID: id, Turns: []trajectory.Turn{
		{Index: 0, Append: line("plan")},
		{Index: 1, Append: line("b1"), Branch: 1, ForkOf: number(0), Delay: 10 * ms},
		{Index: 2, Append: line("b2"), Branch: 2, ForkOf: number(0), Delay: 20 * ms},
		{Index: 3, Append: line("b3"), Branch: 3, After: after(0), Delay: 30 * ms},
		{Index: 4, Append: line("b1 more"), Branch: 1},
		{Index: 5, Append: line("b2 more"), Branch: 2},
		{Index: 6, Append: line("b3 more"), Branch: 3},
		{Index: 7, Append: []trajectory.Message{said("one: ", 4, ", two: ", 5, ", three: ", 6)}, Delay: 50 * ms, Final: true},
	}}
	for i := range t.Turns {
		t.Turns[i].Recorded = &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"%s a%d"}`, id, i)}
	}
	return t
}

// slower answers each request after as many milliseconds as slow says for the first key that its last message holds.
func slower(slow map[string]time.Duration) func(context.Context, *call) {
	return func(ctx context.Context, c *call) {
		body := c.body()
		last := body[strings.LastIndex(body, `"role":"user"`):]
		wait := 100 * ms
		for key, d := range slow {
			if strings.Contains(last, key) {
				wait = d
			}
		}
		if c.sleep(ctx, wait) {
			c.answer(plainAnswer)
		}
	}
}

func byTurn(list []sample.Sample) map[uint32]sample.Sample {
	m := map[uint32]sample.Sample{}
	for _, s := range list {
		m[s.Turn] = s
	}
	return m
}

func TestSubAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: []*trajectory.Trajectory{delegating("d")}, serve: slower(map[string]time.Duration{"b2 more": 400 * ms})}
		b.must(t)
		turns := byTurn(b.recorder.samples)
		sent := map[uint32]time.Duration{}
		for i, s := range turns {
			sent[i] = time.Duration(s.Timing.Sent)
			if s.Timing.Due != s.Timing.Sent || s.Outcome != sample.OK {
				t.Errorf("turn %d: %s, due %v, sent %v", i, s.Outcome, time.Duration(s.Timing.Due), sent[i])
			}
		}
		// The fork is ready at 100 ms. Branch 2 ends last, at 120 + 100 + 400 ms, and the main line goes on 50 ms later.
		want := map[uint32]time.Duration{0: 0, 1: 110 * ms, 2: 120 * ms, 3: 130 * ms, 4: 210 * ms, 5: 220 * ms, 6: 230 * ms, 7: 670 * ms}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Error(diff)
		}
		waits := map[uint32][]uint32{}
		for i, s := range turns {
			if s.Waits != nil {
				waits[i] = s.Waits
			}
		}
		if diff := cmp.Diff(map[uint32][]uint32{1: {0}, 2: {0}, 3: {0}, 7: {0, 4, 5, 6}}, waits); diff != "" {
			t.Error(diff)
		}
		if turns[1].ForkOf == nil || turns[3].ForkOf != nil || turns[5].Branch != 2 {
			t.Errorf("forks %v %v, branch %d", turns[1].ForkOf, turns[3].ForkOf, turns[5].Branch)
		}
		if end := b.recorder.ended[0]; end.State != sample.Complete || end.End != at(770*ms) || end.Planned != 8 {
			t.Errorf("ended %+v", end)
		}
	})
}

// messagesOf are the messages of the request whose last one holds a text.
func (b *bench) messagesOf(t *testing.T, last string) string {
	t.Helper()
	for _, body := range b.issuer.bodies {
		var r struct{ Messages []json.RawMessage }
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(r.Messages[len(r.Messages)-1]), last) {
			var list []string
			for _, m := range r.Messages {
				var text struct{ Content string }
				if err := json.Unmarshal(m, &text); err != nil {
					t.Fatal(err)
				}
				list = append(list, text.Content)
			}
			return strings.Join(list, " | ")
		}
	}
	t.Fatalf("no request ends with %q", last)
	return ""
}

func TestBranchesHaveTheirOwnHistory(t *testing.T) {
	for rule, want := range map[chat.HistoryRule]map[string]string{
		chat.Recorded: {
			"b1 more": "d plan | d a0 | d b1 | d a1 | d b1 more", "b2 more": "d plan | d a0 | d b2 | d a2 | d b2 more",
			"b3 more": "d b3 | d a3 | d b3 more", "one:": "d plan | d a0 | one: d a4, two: d a5, three: d a6",
		},
		chat.Live: {
			"b1 more": "d plan | ok | d b1 | ok | d b1 more", "b3 more": "d b3 | ok | d b3 more",
			"one:": "d plan | ok | one: ok, two: ok, three: ok",
		},
	} {
		t.Run(string(rule), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{list: []*trajectory.Trajectory{delegating("d")}, serve: steady(0, 100*ms)}
				b.History = rule
				b.must(t)
				for last, messages := range want {
					if diff := cmp.Diff(messages, b.messagesOf(t, last)); diff != "" {
						t.Error(diff)
					}
				}
			})
		})
	}
}

// TestMainLineForks is a main line that goes on from a branch, and is listed before it.
func TestMainLineForks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := talk("m", 0, 0)
		tr.Turns[0].ForkOf, tr.Turns[1].Branch = number(1), 7
		b := bench{list: []*trajectory.Trajectory{tr}, serve: steady(0, 100*ms), tangled: true}
		b.must(t)
		if got := b.messagesOf(t, "m q1"); got != "m q2 | m a2 | m q1" {
			t.Error(got)
		}
	})
}

// TestSaltOfBranches shows that every history of a conversation begins with its salt, and that all its requests carry its id.
func TestSaltOfBranches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := map[string]bool{}
		b := bench{list: []*trajectory.Trajectory{delegating("d")}, serve: func(_ context.Context, c *call) {
			ids[c.header("X-Session-Id")] = true
			c.answer(plainAnswer)
		}}
		var err error
		if b.Salt, err = chat.SaltSchemeByName("seeded"); err != nil {
			t.Fatal(err)
		}
		b.must(t)
		for _, last := range []string{"b1 more", "b3 more", "one:"} {
			if got := b.messagesOf(t, last); !strings.HasPrefix(got, "[salt: ") || strings.Count(got, "[salt: ") != 2 {
				t.Errorf("%s: %s", last, got)
			}
		}
		if len(ids) != 1 || !ids["d"] {
			t.Errorf("routing ids %v", ids)
		}
	})
}

func TestFailedBranch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := slower(map[string]time.Duration{"b2 more": 400 * ms})
		b := bench{list: []*trajectory.Trajectory{delegating("d"), talk("next", 0)}, serve: func(ctx context.Context, c *call) {
			if strings.Contains(c.body(), "b1 more") {
				c.sleep(ctx, 15*ms) // at 225 ms: branch 2 is in flight, branch 3 waits for its answer
				c.fail(sample.Reset)
				return
			}
			good(ctx, c)
		}}
		b.must(t)
		turns := byTurn(b.recorder.of("d"))
		// What is in flight goes on to its end, what waits is not sent.
		for i, want := range map[uint32]sample.Outcome{3: sample.OK, 4: sample.Reset, 5: sample.OK, 6: sample.NotSent, 7: sample.NotSent} {
			if turns[i].Outcome != want || want == sample.NotSent && turns[i].Cause != sample.CausePriorFailure {
				t.Errorf("turn %d: %s %s", i, turns[i].Outcome, turns[i].Cause)
			}
		}
		end := b.recorder.ended[0]
		if end.State != sample.Failed || end.Cause != "turn 4: reset" || end.End != at(620*ms) {
			t.Errorf("ended %+v", end)
		}
		if next := b.recorder.of("next")[0].Timing; next.Due != at(620*ms) {
			t.Errorf("the user goes on at %v", time.Duration(next.Due))
		}
	})
}

func TestRunEndsAmongBranches(t *testing.T) {
	for grace, want := range map[time.Duration]map[string]int{
		-1:          {"ok": 3, "cancelled": 2, "not_sent run_ended": 3},
		time.Second: {"ok": 5, "not_sent run_ended": 3},
	} {
		t.Run(grace.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{list: []*trajectory.Trajectory{delegating("d")}, serve: slower(map[string]time.Duration{"b3": 300 * ms, "b2": 300 * ms})}
				b.Duration, b.Grace = 350*ms, grace
				b.must(t)
				if diff := cmp.Diff(want, b.recorder.outcomes()); diff != "" {
					t.Error(diff)
				}
				if end := b.recorder.ended[0]; end.State != sample.Ended {
					t.Errorf("ended %+v", end)
				}
			})
		})
	}
}

// TestLiveAgentDelegates is a live agent that starts two sub-agents, with one call of Next at a time in the order of answers.
func TestLiveAgentDelegates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := func(i, branch uint32, fork *uint32, waits *[]uint32, text ...any) trajectory.Turn {
			return trajectory.Turn{Index: i, Branch: branch, ForkOf: fork, After: waits, Append: []trajectory.Message{said(text...)}}
		}
		steps := []trajectory.Step{
			{Turns: []trajectory.Turn{turn(1, 0, nil, nil, "think")}},
			{Turns: []trajectory.Turn{turn(2, 1, number(0), after(1), "left"), turn(3, 2, nil, after(), "right")}},
			{}, // after the first answer of the two
			{Turns: []trajectory.Turn{turn(4, 0, nil, after(2, 3), "both: ", 2, " ", 3)}},
			{End: &trajectory.End{Outcome: "solved"}},
		}
		a := &agent{think: 30 * ms, step: func(n int) (trajectory.Step, error) {
			s := steps[n-1]
			s.State = []byte(strings.Repeat("x", n+1))
			return s, nil
		}}
		b := liveBench(a)
		b.serve = slower(map[string]time.Duration{"left": 300 * ms, "right": 310 * ms})
		b.must(t)
		var order []uint32
		for _, id := range b.recorder.stepped {
			order = append(order, id.Turn)
		}
		if diff := cmp.Diff([]uint32{0, 1, 2, 3, 4}, order); diff != "" {
			t.Error(diff)
		}
		turns := byTurn(b.recorder.samples)
		// Two turns of 100 ms with a step of 30 ms each; both sub-agents start at 260 ms. The step after the slower one waits
		// for the step before it.
		for i, want := range map[uint32][4]time.Duration{
			2: {260 * ms, 560 * ms, 560 * ms, 590 * ms}, 3: {260 * ms, 570 * ms, 590 * ms, 620 * ms}, 4: {620 * ms, 720 * ms, 720 * ms, 750 * ms},
		} {
			g := turns[i].Timing
			if got := [4]time.Duration{time.Duration(g.Due), time.Duration(g.Done), time.Duration(g.NextStart), time.Duration(g.NextDone)}; got != want {
				t.Errorf("turn %d: due, done, step %v, want %v", i, got, want)
			}
		}
		if got := b.messagesOf(t, "left"); got != "l q1 | ok | left" { // the fork is of turn 0, which the main line has left
			t.Error(got)
		}
		if got := b.messagesOf(t, "both"); got != "l q1 | ok | think | ok | both: ok ok" {
			t.Error(got)
		}
		if end := b.recorder.ended[0]; end.State != sample.Complete || end.Outcome != "solved" || end.Planned != 5 || end.End != at(750*ms) {
			t.Errorf("ended %+v", end)
		}
	})
}

func TestLiveAgentEndsAmongBranches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		branch := func(i uint32, delay time.Duration) trajectory.Turn {
			return trajectory.Turn{Index: i, Branch: i, After: after(), Delay: delay, Append: []trajectory.Message{said(fmt.Sprint("b", i))}}
		}
		a := &agent{step: func(n int) (trajectory.Step, error) {
			if n == 1 {
				return trajectory.Step{State: []byte("xx"), Turns: []trajectory.Turn{branch(1, 0), branch(2, 0), branch(3, time.Hour)}}, nil
			}
			return trajectory.Step{End: &trajectory.End{Outcome: "enough"}}, nil
		}}
		b := liveBench(a)
		b.serve = slower(map[string]time.Duration{"b2": 500 * ms})
		b.must(t)
		if diff := cmp.Diff(map[string]int{"ok": 3, "not_sent agent_ended": 1}, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		if end := b.recorder.ended[0]; end.State != sample.Complete || a.calls != 2 || b.took != 600*ms {
			t.Errorf("after %v and %d steps ended %+v", b.took, a.calls, end)
		}
	})
}

func TestLiveAgentIsStuckAmongBranches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &agent{step: func(n int) (trajectory.Step, error) {
			s := trajectory.Step{State: []byte(strings.Repeat("x", n+1))}
			if n == 1 {
				s.Turns = []trajectory.Turn{{Index: 1, Branch: 1, After: after(), Append: []trajectory.Message{said("b1")}}, {Index: 2, Append: []trajectory.Message{said("b2")}}}
			}
			return s, nil
		}}
		b := liveBench(a)
		b.serve = slower(map[string]time.Duration{"b1": 200 * ms})
		b.must(t)
		end := b.recorder.ended[0]
		if end.State != sample.Broken || end.Cause != "step after turn 1: the agent gave neither turns nor an end" || a.calls != 3 {
			t.Errorf("%d steps, ended %+v", a.calls, end)
		}
	})
}

func TestAnswerThatIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: []*trajectory.Trajectory{delegating("d")}, serve: steady(0, 0)}
		b.list[0].Turns[5].Recorded = nil
		_, err := b.run(t)
		if err == nil || !strings.Contains(err.Error(), "turn 7: it holds the answer of turn 5, of which none is recorded") {
			t.Errorf("error %v", err)
		}
	})
}

// TestFanInOneSequence keeps the sequence of the main line as it was, written with or without its waits.
func TestFanInOneSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play := func(list []*trajectory.Trajectory) []sample.Sample {
			b := bench{list: list, serve: steady(100*ms, 0)}
			b.must(t)
			return b.recorder.samples
		}
		plain, forced := talk("a", 0, 10*ms, 20*ms), talk("a", 0, 10*ms, 20*ms)
		forced.Turns[2].After = after(0, 1)
		want, got := play([]*trajectory.Trajectory{plain}), play([]*trajectory.Trajectory{forced})
		for i := range got {
			got[i].Waits = nil
		}
		if !slices.EqualFunc(want, got, func(a, b sample.Sample) bool { return cmp.Equal(a, b) }) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	})
}
