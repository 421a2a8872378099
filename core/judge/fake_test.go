package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

const workload = "std/test/agentic"

// runOf makes a run of conversations with so many turns each, all answered: "answer I.T" to "ask I.T".
func runOf(turns ...int) *journal.Run {
	store := journal.MemoryContents{}
	run := &journal.Run{Content: store}
	for i, n := range turns {
		t := &trajectory.Trajectory{
			ID: "t" + strconv.Itoa(i), Index: uint64(i), Tools: json.RawMessage(`[{"name":"bash"}]`), Truth: json.RawMessage(`"T"`),
			Params: json.RawMessage(`{"top_p":0.5}`),
		}
		plan := journal.Plan{Workload: workload, Trajectory: t.ID, Index: t.Index}
		id := sample.ID{Workload: workload, Trajectory: t.ID, Index: t.Index}
		for k := range uint32(n) {
			name := fmt.Sprintf("%d.%d", i, k)
			t.Turns = append(t.Turns, trajectory.Turn{
				Index: k, Append: []trajectory.Message{{JSON: message("user", "ask "+name)}},
				Recorded: &trajectory.Message{JSON: message("assistant", "recorded "+name)}, Truth: json.RawMessage(`"` + name + `"`),
			})
			plan.Turns = append(plan.Turns, k)
			s := sample.Sample{ID: id, Phase: sample.Measure}
			s.Turn, s.Outcome, s.Timing = k, sample.OK, sample.NoTiming()
			s.Answer = &chat.Answer{Message: message("assistant", "answer "+name), FinishReason: "stop"}
			s.Chunks = s.Chunks.Add(sample.Chunk{GapMicros: 5, Channel: chat.Content, Bytes: 3})
			s.Received = &sample.Received{Bytes: 1}
			run.Samples = append(run.Samples, s)
		}
		doc, err := journal.EncodeTrajectory(t)
		if err != nil {
			panic(err) // the test's own trajectory
		}
		plan.Content = store.Add(doc)
		run.Plans = append(run.Plans, plan)
		run.Conversations = append(run.Conversations, sample.Conversation{ID: id, Domain: "coding", Result: []byte(`{"done":true}`)})
	}
	return run
}

func message(role, content string) json.RawMessage {
	b, _ := json.Marshal(content)
	return json.RawMessage(`{"role":"` + role + `","content":` + string(b) + `}`)
}

type kindError struct{ kind string }

func (e kindError) Error() string { return "guest: " + e.kind }
func (e kindError) Kind() string  { return e.kind }

// fake is a judge of every kind. It records what it was asked.
type fake struct {
	about   verdict.About
	fails   func(it judge.Item) error // a call fails at the first item that this fails for
	finding func(it judge.Item) []verdict.Finding
	account func(items []judge.Item) []byte
	nothing func(call int) string // makes replies of equal requests differ

	mu        sync.Mutex
	calls     [][]string // trajectory.turn of each call's items
	items     []judge.Item
	concluded judge.Conclusion
	facts     []verdict.Fact
}

func (f *fake) About() verdict.About { return f.about }

func (f *fake) ask(ctx context.Context, items []judge.Item) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, it := range items {
		names = append(names, fmt.Sprintf("%s.%d", it.Trajectory, it.Turn))
	}
	f.calls, f.items = append(f.calls, names), append(f.items, items...)
	for _, it := range items {
		if f.fails == nil {
			break
		}
		if err := f.fails(it); err != nil {
			return "", err
		}
	}
	if f.nothing != nil {
		return f.nothing(len(f.calls)), nil
	}
	return "", nil
}

func (f *fake) accountOf(items []judge.Item) []byte {
	if f.account != nil {
		return f.account(items)
	}
	return fmt.Appendf(nil, "%s.%d+%d;", items[0].Trajectory, items[0].Turn, len(items))
}

func (f *fake) Preflight(_ context.Context, facts []verdict.Fact, _ json.RawMessage) ([]verdict.Finding, error) {
	f.facts = facts
	return nil, nil
}

func (f *fake) Check(ctx context.Context, batch []judge.Item) (judge.Checked, error) {
	said, err := f.ask(ctx, batch)
	if err != nil {
		return judge.Checked{}, err
	}
	c := judge.Checked{Account: append(f.accountOf(batch), said...)}
	for _, it := range batch {
		if f.finding != nil {
			c.Findings = append(c.Findings, f.finding(it)...)
		}
	}
	return c, nil
}

func (f *fake) Score(ctx context.Context, batch []judge.Item) (judge.Scored, error) {
	if _, err := f.ask(ctx, batch); err != nil {
		return judge.Scored{}, err
	}
	s := judge.Scored{Account: f.accountOf(batch)}
	for _, it := range batch {
		item := verdict.ItemScore{Trajectory: it.Trajectory, Repeat: it.Repeat, Scored: true, Micro: 1_000_000}
		turn := it.Turn
		item.Turn = &turn
		if it.Outcome != sample.OK {
			item.Micro, item.Reason = 0, string(it.Outcome)
		}
		s.Items = append(s.Items, item)
	}
	return s, nil
}

func (f *fake) Fold(_ context.Context, account, batch []byte) ([]byte, error) {
	return slices.Concat(account, batch), nil
}

// validator, scorer and counter are the fake in one role.
type (
	validator struct{ *fake }
	scorer    struct{ *fake }
	counter   struct{ *fake }
)

func (v validator) Conclude(_ context.Context, c judge.Conclusion) (verdict.Verdict, error) {
	v.concluded = c
	return verdict.Verdict{Passed: true, Reason: "all good"}, nil
}

func (s scorer) Conclude(_ context.Context, c judge.Conclusion) (verdict.Score, error) {
	s.concluded = c
	return verdict.Score{Passed: true, Complete: true, Scored: uint64(bytes.Count(c.Account, []byte(";")))}, nil
}

func (c counter) Count(ctx context.Context, batch []judge.Item) ([]verdict.Count, error) {
	if _, err := c.ask(ctx, batch); err != nil {
		return nil, err
	}
	list := make([]verdict.Count, len(batch))
	for i := range batch {
		n := uint64(len(batch[i].Answer.Message))
		list[i].Output = &n
	}
	return list, nil
}

func about(unit verdict.Unit, needs ...verdict.Need) verdict.About {
	return verdict.About{Name: "std/test/judge", Kind: "validator", Unit: unit, Needs: needs}
}

func validate(t *testing.T, c judge.Config, f *fake) verdict.Judgement {
	t.Helper()
	j, err := judge.New(c).Validate(t.Context(), validator{f}, json.RawMessage(`{"m":1}`))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

var errConclude = errors.New("conclude trapped")

// broken is a validator whose conclusion fails.
type broken struct{ validator }

func (broken) Conclude(context.Context, judge.Conclusion) (verdict.Verdict, error) {
	return verdict.Verdict{}, errConclude
}
