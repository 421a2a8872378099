package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"paceline/core/digest"
	"paceline/core/judge"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

func digestOf(s string) digest.SHA256 { return digest.Of([]byte(s)) }

// fake judges as a validator or a scorer: an item is right where its truth has the canary and its answer is there.
type fake struct {
	about     verdict.About
	preflight []verdict.Finding

	facts []verdict.Fact
	end   judge.Conclusion
}

func newFake(kind string, needs ...verdict.Need) *fake {
	return &fake{about: verdict.About{
		Name: "std/test/" + kind, Kind: kind, Digest: digestOf("plugin"), Version: "1.2.3", Unit: verdict.UnitTurn, Needs: needs, Deterministic: true,
	}}
}

func (f *fake) About() verdict.About { return f.about }

func (f *fake) Preflight(_ context.Context, facts []verdict.Fact, _ json.RawMessage) ([]verdict.Finding, error) {
	f.facts = facts
	return f.preflight, nil
}

func (f *fake) Check(_ context.Context, batch []judge.Item) (judge.Checked, error) {
	out := judge.Checked{Account: []byte(strconv.Itoa(len(batch)))}
	for _, it := range batch {
		if !strings.Contains(string(it.Truth), canary) {
			out.Findings = append(out.Findings, finding(verdict.Error, "no-truth"))
		}
	}
	return out, nil
}

func (f *fake) Fold(_ context.Context, account, batch []byte) ([]byte, error) {
	if len(account) == 0 {
		return batch, nil
	}
	a, err1 := strconv.Atoi(string(account))
	b, err2 := strconv.Atoi(string(batch))
	return []byte(strconv.Itoa(a + b)), errors.Join(err1, err2)
}

func (f *fake) Conclude(_ context.Context, c judge.Conclusion) (verdict.Verdict, error) {
	f.end = c
	n, err := strconv.Atoi(string(c.Account))
	return verdict.Verdict{Passed: true, Values: []verdict.Value{{Name: "items", Micro: int64(n) * 1_000_000}}}, err
}

// scorer is a fake with the methods of a scorer.
type scorer struct{ *fake }

func (s scorer) Score(_ context.Context, batch []judge.Item) (judge.Scored, error) {
	out := judge.Scored{Account: []byte(strconv.Itoa(len(batch)))}
	for _, it := range batch {
		turn := it.Turn
		item := verdict.ItemScore{Trajectory: it.Trajectory, Repeat: it.Repeat, Turn: &turn, Scored: true}
		if it.Answer != nil {
			item.Micro = 1_000_000
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

func (s scorer) Conclude(_ context.Context, c judge.Conclusion) (verdict.Score, error) {
	n, err := strconv.ParseUint(string(c.Account), 10, 64)
	return verdict.Score{Score: &verdict.Value{Name: "right", Micro: 1_000_000, Unit: "share"}, HigherIsBetter: true, Complete: true, Passed: true, Scored: n}, err
}

// replanner plans from a list; some indexes come out changed, or not at all.
type replanner struct {
	source
	changed map[uint64]bool
	fails   map[uint64]bool
	asked   int
}

func (r *replanner) PlanFresh(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error) {
	r.asked++
	if r.fails[index] {
		return nil, errors.New("trap: unreachable")
	}
	t, err := r.Plan(ctx, index, repeat)
	if err == nil && r.changed[index] {
		other := *t
		other.Domain = "another"
		t = &other
	}
	return t, err
}
