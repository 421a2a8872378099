package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// row is an item's evidence as text.
type row struct {
	Answer, Recorded, Truth, TrajectoryTruth, Appended, History, Tools, Params string
	Chunks                                                                     int
}

func rowOf(it judge.Item) row {
	r := row{
		Recorded: string(it.Recorded), Truth: string(it.Truth), TrajectoryTruth: string(it.TrajectoryTruth),
		Appended: string(it.Appended), History: string(it.History), Tools: string(it.Tools), Params: string(it.Params),
		Chunks: len(it.Chunks),
	}
	if it.Answer != nil {
		r.Answer = string(it.Answer.Message)
	}
	return r
}

var allNeeds = []verdict.Need{
	verdict.NeedAnswer, verdict.NeedRecorded, verdict.NeedTruth, verdict.NeedAppended, verdict.NeedHistory,
	verdict.NeedTools, verdict.NeedParams, verdict.NeedChunks,
}

func TestItemsOfRecordedHistory(t *testing.T) {
	f := &fake{about: about(verdict.UnitTurn, allNeeds...)}
	validate(t, judge.Config{
		Run: runOf(1, 2), Info: trajectory.Info{Params: json.RawMessage(`{"a":1,"b":2}`)},
		Params: json.RawMessage(`{"b":3}`), Override: json.RawMessage(`{"a":null}`),
		InWindow: func(s *sample.Sample) bool { return s.Turn == 1 },
	}, f)
	if len(f.items) != 3 {
		t.Fatalf("%d items", len(f.items))
	}
	want := row{
		Answer: `{"role":"assistant","content":"answer 1.1"}`, Recorded: `{"role":"assistant","content":"recorded 1.1"}`,
		Truth: `"1.1"`, TrajectoryTruth: `"T"`, Appended: `[{"role":"user","content":"ask 1.1"}]`,
		History: `[{"role":"user","content":"ask 1.0"},{"role":"assistant","content":"recorded 1.0"}]`,
		Tools:   `[{"name":"bash"}]`, Params: `{"top_p":0.5,"b":3}`, Chunks: 1,
	}
	if diff := cmp.Diff(want, rowOf(f.items[2])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.items[1].History == nil || string(f.items[1].History) != "[]" {
		t.Errorf("first turn's history %q", f.items[1].History)
	}
	if f.items[1].InWindow || !f.items[2].InWindow || f.items[2].Domain != "coding" || string(f.items[2].EndResult) != `{"done":true}` {
		t.Errorf("item %+v", f.items[2])
	}
}

func TestItemsHoldNoMoreThanAskedFor(t *testing.T) {
	f := &fake{about: about(verdict.UnitTurn)}
	run := runOf(2)
	run.Content = journal.MemoryContents{} // a bundle without texts: nothing of it is asked for
	if j := validate(t, judge.Config{Run: run}, f); j.Error != "" {
		t.Fatal(j.Error)
	}
	for _, it := range f.items {
		if diff := cmp.Diff(row{}, rowOf(it)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if x := it.Sample.Exchange; x.Answer != nil || x.Chunks != nil || x.Received != nil {
			t.Errorf("the sample itself carries evidence: %+v", x)
		}
	}
	if run.Samples[0].Answer == nil {
		t.Error("the run's own sample was stripped")
	}
	f = &fake{about: about(verdict.UnitTurn, verdict.NeedTruth)}
	if j := validate(t, judge.Config{Run: run}, f); !strings.Contains(j.Error, "content store holds no text") || j.Verdict != nil {
		t.Errorf("without the text: %+v", j)
	}
}

// TestItemsOfLiveHistory plays a conversation whose engine answered with other call ids than recorded, and then failed.
func TestItemsOfLiveHistory(t *testing.T) {
	store := journal.MemoryContents{}
	tr := &trajectory.Trajectory{ID: "t", Turns: []trajectory.Turn{
		{Index: 0, Append: []trajectory.Message{{JSON: message("user", "go")}}},
		{Index: 1, Append: []trajectory.Message{{JSON: json.RawMessage(`{"role":"tool","tool_call_id":"old","content":"ok"}`)}}},
		{Index: 2, Append: []trajectory.Message{{JSON: message("user", "more")}}},
		{Index: 3, Append: []trajectory.Message{{JSON: message("user", "end")}}},
	}}
	doc, err := journal.EncodeTrajectory(tr)
	if err != nil {
		t.Fatal(err)
	}
	run := &journal.Run{Content: store, Plans: []journal.Plan{{Workload: workload, Trajectory: "t", Content: store.Add(doc), Turns: []uint32{0, 1, 2, 3}}}}
	answers := []string{
		`{"role":"assistant","content":"<think>hm</think>a","tool_calls":[{"id":"new","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"assistant","content":"b"}`, "", "",
	}
	for i, a := range answers {
		s := sample.Sample{ID: sample.ID{Workload: workload, Trajectory: "t", Turn: uint32(i)}}
		s.Outcome = []sample.Outcome{sample.OK, sample.OK, sample.Reset, sample.NotSent}[i]
		if a != "" {
			s.Answer = &chat.Answer{Message: json.RawMessage(a)}
		}
		run.Samples = append(run.Samples, s)
	}
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedHistory, verdict.NeedAppended)}
	validate(t, judge.Config{Run: run, History: chat.Live, Thinking: chat.Strip}, f)
	var got []string
	for _, it := range f.items {
		got = append(got, string(it.History), string(it.Appended))
	}
	first := `{"role":"user","content":"go"},{"role":"assistant","content":"a","tool_calls":[{"id":"new","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	want := []string{
		`[]`, `[{"role":"user","content":"go"}]`,
		`[` + first + `]`, `[{"role":"tool","tool_call_id":"new","content":"ok"}]`,
		`[` + first + `,{"role":"tool","tool_call_id":"new","content":"ok"},{"role":"assistant","content":"b"}]`, `[{"role":"user","content":"more"}]`,
		``, `[{"role":"user","content":"end"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSaltedHistory(t *testing.T) {
	scheme, err := chat.SaltSchemeByName("mlperf")
	if err != nil {
		t.Fatal(err)
	}
	scheme.Scope = chat.ScopeFirstText
	salter, err := chat.NewSalter(scheme, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedHistory)}
	validate(t, judge.Config{Run: runOf(2), Salter: salter}, f)
	if h := string(f.items[1].History); !strings.Contains(h, "[salt: ") || !strings.Contains(h, "ask 0.0") {
		t.Errorf("history as sent: %s", h)
	}
}
