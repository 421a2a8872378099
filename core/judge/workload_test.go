package judge_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// mixOf makes a run of two workloads with the same ids: red with conversations of 2 and 3 turns, blue with two of 2.
func mixOf(t *testing.T) judge.Config {
	t.Helper()
	run, store := &journal.Run{}, journal.MemoryContents{}
	run.Content = store
	for name, part := range map[string]*journal.Run{"red": runOf(2, 3), "blue": runOf(2, 2)} {
		for d, text := range part.Content.(journal.MemoryContents) {
			store[d] = text
		}
		for _, p := range part.Plans {
			p.Workload = name
			run.Plans = append(run.Plans, p)
		}
		for _, s := range part.Samples {
			s.Workload = name
			run.Samples = append(run.Samples, s)
		}
		for _, c := range part.Conversations {
			c.Workload = name
			run.Conversations = append(run.Conversations, c)
		}
	}
	scheme, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	salter, err := chat.NewSalter(scheme, 7)
	if err != nil {
		t.Fatal(err)
	}
	return judge.Config{Run: run, Salter: salter, Params: json.RawMessage(`{"run_wide":1}`), Workloads: map[string]judge.Workload{
		"red":  {Info: trajectory.Info{Params: json.RawMessage(`{"red_default":1}`)}, Params: json.RawMessage(`{"red_own":1}`)},
		"blue": {Info: trajectory.Info{Params: json.RawMessage(`{"blue_default":1}`)}, History: chat.Live},
	}}
}

// TestMixedItems: each workload's samples come with its own parameters, its own rule for the history and its own salts, and
// no batch holds two workloads.
func TestMixedItems(t *testing.T) {
	f := &fake{about: verdict.About{Name: "std/test/v", Kind: "validator", Unit: verdict.UnitTurn,
		Needs: []verdict.Need{verdict.NeedParams, verdict.NeedHistory}}}
	f.finding = func(it judge.Item) []verdict.Finding {
		return []verdict.Finding{{Code: "seen", Trajectory: it.Trajectory, Turn: it.Turn}}
	}
	j := validate(t, mixOf(t), f)
	if len(f.items) != 9 || len(f.calls) != 2 {
		t.Fatalf("%d items in %d batches", len(f.items), len(f.calls))
	}
	salts := map[string]bool{}
	for _, it := range f.items {
		other, rule, kept := "red", "answer ", "recorded "
		if it.Workload == "red" {
			other, rule, kept = "blue", kept, rule
		}
		if p := string(it.Params); !strings.Contains(p, it.Workload+"_default") || strings.Contains(p, other) || !strings.Contains(p, "run_wide") {
			t.Errorf("%s: params %s", it.Workload, p)
		}
		if strings.Contains(string(it.Params), "red_own") != (it.Workload == "red") {
			t.Errorf("%s: params %s", it.Workload, it.Params)
		}
		if it.Turn == 1 {
			if h := string(it.History); !strings.Contains(h, rule) || strings.Contains(h, kept) {
				t.Errorf("%s: history %s", it.Workload, h)
			}
			_, salt, _ := strings.Cut(string(it.History), "[salt: ")
			_, salt, _ = strings.Cut(salt, "[salt: ")
			salts[salt[:16]] = true
		}
	}
	if len(salts) != 4 {
		t.Errorf("%d salts of four conversations", len(salts))
	}
	var placed []string
	for _, x := range j.Findings {
		placed = append(placed, x.Workload)
	}
	if want := slices.Concat(slices.Repeat([]string{"blue"}, 4), slices.Repeat([]string{"red"}, 5)); !slices.Equal(placed, want) {
		t.Errorf("findings are of %v", placed)
	}
}

// TestJudgeOfOneWorkload: a judge of a part sees nothing else, and faults and items name their workload.
func TestJudgeOfOneWorkload(t *testing.T) {
	f := &fake{about: verdict.About{Name: "std/test/s", Kind: "scorer", Unit: verdict.UnitConversation}}
	f.fails = func(it judge.Item) error {
		if it.Trajectory == "t1" {
			return errors.New("no")
		}
		return nil
	}
	m := judge.New(mixOf(t))
	j, err := m.Of([]string{"red"}).Score(t.Context(), scorer{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range f.items {
		if it.Workload != "red" {
			t.Errorf("it was shown %s", it.Workload)
		}
	}
	if len(j.PluginErrors) != 1 || j.PluginErrors[0].Workload != "red" || len(j.Items) == 0 {
		t.Fatalf("%+v", j)
	}
	for _, it := range j.Items {
		if it.Workload != "red" {
			t.Errorf("item %+v", it)
		}
	}
	none := &fake{about: verdict.About{Name: "std/test/n", Kind: "scorer"}}
	if j, err := m.Of([]string{"green"}).Score(t.Context(), scorer{none}, nil); err != nil || len(none.items) != 0 || j.Score == nil {
		t.Errorf("%+v, %v", j, err)
	}
}
