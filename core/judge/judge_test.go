package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func repeat(n, times int) []int {
	list := make([]int, times)
	for i := range list {
		list[i] = n
	}
	return list
}

// TestBatches is the table of the cutting rule.
func TestBatches(t *testing.T) {
	big := strings.Repeat("x", 400<<10)
	for _, c := range []struct {
		name  string
		unit  verdict.Unit
		turns []int
		pad   int // bytes in each truth
		want  []int
	}{
		{"nothing", verdict.UnitTurn, nil, 0, nil},
		{"turns by count", verdict.UnitTurn, []int{300, 300}, 0, []int{256, 256, 88}},
		{"exactly full", verdict.UnitTurn, []int{256}, 0, []int{256}},
		{"conversations stay whole", verdict.UnitConversation, []int{200, 55, 1, 300, 300, 5}, 0, []int{256, 300, 300, 5}},
		{"past the border", verdict.UnitConversation, []int{255, 2, 1}, 0, []int{257, 1}},
		{"turns by bytes", verdict.UnitTurn, []int{7}, 400 << 10, []int{3, 3, 1}},
		{"conversations by bytes", verdict.UnitConversation, []int{2, 2, 5, 1}, 400 << 10, []int{4, 5, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(c.turns...)
			for i := range run.Samples {
				if c.pad > 0 {
					run.Samples[i].Answer.Message = json.RawMessage(`"` + big + `"`)
				}
			}
			for _, workers := range []int{1, 4} {
				f := &fake{about: about(c.unit, verdict.NeedAnswer)}
				j := validate(t, judge.Config{Run: run, Workers: workers}, f)
				var got []int
				for _, entry := range strings.Split(strings.TrimSuffix(string(f.concluded.Account), ";"), ";") {
					if _, n, ok := strings.Cut(entry, "+"); ok {
						size, _ := strconv.Atoi(n)
						got = append(got, size)
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" || j.Error != "" {
					t.Errorf("%d workers: %s (-want +got):\n%s", workers, j.Error, diff)
				}
			}
		})
	}
}

// TestCulprit is the shape of case 71: inputs 1 to 6, the third one traps.
func TestCulprit(t *testing.T) {
	trap := func(it judge.Item) error {
		if it.Turn == 2 {
			return fmt.Errorf("call: %w", kindError{"trap"})
		}
		return nil
	}
	var want []verdict.ItemScore
	for i := range uint32(6) {
		s := verdict.ItemScore{Trajectory: "t0", Turn: &i, Scored: true, Micro: 1_000_000}
		if i == 2 {
			s.Scored, s.Micro, s.Reason = false, 0, judge.ReasonPluginError
		}
		want = append(want, s)
	}
	for _, workers := range []int{1, 4} {
		f := &fake{about: about(verdict.UnitTurn), fails: trap}
		j, err := judge.New(judge.Config{Run: runOf(6), Workers: workers}).Score(t.Context(), scorer{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, j.Items); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
		turn := uint32(2)
		if diff := cmp.Diff([]verdict.UnitError{{Trajectory: "t0", Turn: &turn, Kind: "trap", Error: "call: guest: trap"}}, j.PluginErrors); diff != "" {
			t.Errorf("plugin errors (-want +got):\n%s", diff)
		}
		if s := j.Score; s == nil || s.Complete || s.Passed || s.Scored != 5 || s.Missing != 1 {
			t.Errorf("score %+v", s)
		}
		calls := [][]string{{"t0.0", "t0.1", "t0.2", "t0.3", "t0.4", "t0.5"}, {"t0.0"}, {"t0.1"}, {"t0.2"}, {"t0.3"}, {"t0.4"}, {"t0.5"}}
		if diff := cmp.Diff(calls, f.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	}
}

func TestCulpritConversation(t *testing.T) {
	f := &fake{about: about(verdict.UnitConversation), fails: func(it judge.Item) error {
		if it.Trajectory == "t1" && it.Turn == 1 {
			return kindError{"timeout"}
		}
		return nil
	}}
	j := validate(t, judge.Config{Run: runOf(2, 3, 2)}, f)
	if string(f.concluded.Account) != "t0.0+2;t2.0+2;" {
		t.Errorf("account %s", f.concluded.Account)
	}
	want := verdict.UnitError{Trajectory: "t1", Kind: "timeout", Error: "guest: timeout"}
	if diff := cmp.Diff([]verdict.UnitError{want}, j.PluginErrors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := j.Verdict; v.Passed || !strings.HasPrefix(v.Reason, "incomplete: 1 units") || !strings.Contains(v.Reason, "all good") {
		t.Errorf("verdict %+v", v)
	}
}

// TestWorkersDoNotShow judges the same run with one and with four workers, failures and all.
func TestWorkersDoNotShow(t *testing.T) {
	run := runOf(repeat(7, 300)...)
	for i := range run.Samples {
		if i%100 == 3 {
			run.Samples[i].Outcome = sample.Reset
		}
	}
	judged := func(workers int) []byte {
		f := &fake{about: about(verdict.UnitConversation, verdict.NeedAnswer, verdict.NeedHistory), fails: func(it judge.Item) error {
			if it.Index%50 == 9 {
				return kindError{"trap"}
			}
			return nil
		}, finding: func(it judge.Item) []verdict.Finding {
			if it.Turn != 2 {
				return nil
			}
			return []verdict.Finding{{Severity: verdict.Info, Code: "seen", Trajectory: it.Trajectory, Turn: it.Turn}}
		}}
		f.about.Deterministic = true
		var last judge.Progress
		c := judge.Config{Run: run, Workers: workers, MaxFindings: 100, OnProgress: func(p judge.Progress) {
			if p.Done <= last.Done {
				t.Errorf("progress %+v after %+v", p, last)
			}
			last = p
		}}
		j := validate(t, c, f)
		if j.Error != "" || len(j.PluginErrors) != 6 || len(j.Findings) != 100 || j.Dropped != 194 || last.Done != 2100 {
			t.Errorf("error %q, %d plugin errors, %d findings, %d dropped, %+v", j.Error, len(j.PluginErrors), len(j.Findings), j.Dropped, last)
		}
		b, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		return append(b, f.concluded.Account...)
	}
	if one, four := judged(1), judged(4); !bytes.Equal(one, four) {
		t.Error("the number of workers shows in the judgement")
	}
}

// TestFailedSamplesStay is case 64: what failed, and what was never sent, reaches the scorer and stays in its denominator.
func TestFailedSamplesStay(t *testing.T) {
	run := runOf(10)
	for i, o := range []sample.Outcome{sample.Status, sample.Truncated, sample.NotSent} {
		run.Samples[7+i].Outcome, run.Samples[7+i].Answer = o, nil
	}
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedAnswer)}
	j, err := judge.New(judge.Config{Run: run}).Score(t.Context(), scorer{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, it := range j.Items {
		sum += it.Micro
	}
	if len(j.Items) != 10 || sum != 7_000_000 {
		t.Errorf("%d items, sum %d", len(j.Items), sum)
	}
}

func TestNotDeterministic(t *testing.T) {
	for _, deterministic := range []bool{true, false} {
		f := &fake{about: about(verdict.UnitTurn), nothing: strconv.Itoa}
		f.about.Deterministic = deterministic
		j := validate(t, judge.Config{Run: runOf(10_000), Workers: 1}, f)
		calls := 40
		if deterministic {
			calls++ // the first batch that is judged again already differs
		}
		if got := strings.Contains(j.Error, "std/test/judge is not deterministic"); got != deterministic || len(f.calls) != calls {
			t.Errorf("deterministic %v: error %q after %d calls", deterministic, j.Error, len(f.calls))
		}
		if j.Verdict.Passed == deterministic {
			t.Errorf("deterministic %v: passed %v", deterministic, j.Verdict.Passed)
		}
	}
	f := &fake{about: about(verdict.UnitTurn)}
	f.about.Deterministic = true
	if j := validate(t, judge.Config{Run: runOf(10_000)}, f); j.Error != "" || len(f.calls) != 40+judge.DefaultReplays || !j.Verdict.Passed {
		t.Errorf("error %q after %d calls", j.Error, len(f.calls))
	}
}

func TestGivesUp(t *testing.T) {
	f := &fake{about: about(verdict.UnitTurn), fails: func(judge.Item) error { return kindError{"exit"} }}
	j := validate(t, judge.Config{Run: runOf(1000), MaxUnitErrors: 20, Workers: 1}, f)
	if !strings.Contains(j.Error, "too many units fail: 21 by now") || j.Verdict != nil || len(j.PluginErrors) != 21 {
		t.Errorf("error %q, %d plugin errors, verdict %v", j.Error, len(j.PluginErrors), j.Verdict)
	}
}

func TestReplyRules(t *testing.T) {
	f := &fake{about: about(verdict.UnitTurn), account: func(items []judge.Item) []byte {
		if len(items) == 1 && items[0].Turn == 1 {
			return make([]byte, judge.MaxAccount+1)
		}
		return make([]byte, judge.MaxAccount/2*len(items))
	}}
	j := validate(t, judge.Config{Run: runOf(2)}, f)
	if len(j.PluginErrors) != 0 || j.Error != "" {
		t.Errorf("an account at the limit: %+v", j)
	}
	j = validate(t, judge.Config{Run: runOf(3)}, f)
	if len(j.PluginErrors) != 1 || j.PluginErrors[0].Kind != "oversized" {
		t.Errorf("plugin errors %+v, error %q", j.PluginErrors, j.Error)
	}
	f = &fake{about: about(verdict.UnitTurn), account: func([]judge.Item) []byte { return make([]byte, judge.MaxAccount) }}
	j = validate(t, judge.Config{Run: runOf(300)}, f)
	if !strings.Contains(j.Error, "fold batch 1: account of") {
		t.Errorf("error %q", j.Error)
	}
	f = &fake{about: about(verdict.UnitTurn), finding: func(judge.Item) []verdict.Finding { return []verdict.Finding{{Code: "x", Detail: []byte("{")}} }}
	if j = validate(t, judge.Config{Run: runOf(1)}, f); len(j.PluginErrors) != 1 || j.PluginErrors[0].Kind != "malformed" {
		t.Errorf("plugin errors %+v", j.PluginErrors)
	}
}

// Who speaks of what was not in the batch is wrong about the unit that it was asked about.
func TestRepliesAboutOthers(t *testing.T) {
	for _, other := range []verdict.Finding{{Trajectory: "t9"}, {Trajectory: "t0", Repeat: 1}} {
		other.Code = "x"
		f := &fake{about: about(verdict.UnitTurn), finding: func(it judge.Item) []verdict.Finding {
			if it.Turn == 1 {
				return []verdict.Finding{other}
			}
			return []verdict.Finding{{Code: "y", Trajectory: it.Trajectory}, {Code: "z"}}
		}}
		j := validate(t, judge.Config{Run: runOf(3)}, f)
		if len(j.PluginErrors) != 1 || j.PluginErrors[0].Kind != "malformed" || *j.PluginErrors[0].Turn != 1 || len(j.Findings) != 4 || j.Verdict.Passed {
			t.Errorf("%+v: plugin errors %+v, findings %v", other, j.PluginErrors, j.Findings)
		}
	}
	turn := uint32(7)
	for _, other := range []verdict.ItemScore{{Trajectory: "t0", Turn: &turn}, {Trajectory: "t1"}, {Trajectory: "t0", Repeat: 1}} {
		m := judge.New(judge.Config{Run: runOf(1)})
		j, err := m.Score(t.Context(), stranger{scorer{&fake{about: about(verdict.UnitTurn)}}, other}, nil)
		if err != nil || len(j.PluginErrors) != 1 || j.PluginErrors[0].Kind != "malformed" || j.Score.Complete {
			t.Errorf("%+v: plugin errors %+v, %v", other, j.PluginErrors, err)
		}
	}
}

// stranger is a scorer with one item too many.
type stranger struct {
	scorer
	other verdict.ItemScore
}

func (s stranger) Score(ctx context.Context, items []judge.Item) (judge.Scored, error) {
	r, err := s.scorer.Score(ctx, items)
	r.Items = append(r.Items, s.other)
	return r, err
}

func TestConcludeFails(t *testing.T) {
	m := judge.New(judge.Config{Run: runOf(2)})
	bad, err := m.Validate(t.Context(), broken{validator{&fake{about: about(verdict.UnitTurn)}}}, nil)
	if err != nil || bad.Error != "conclude: conclude trapped" || bad.Verdict != nil {
		t.Errorf("%+v, %v", bad, err)
	}
	if next, err := m.Validate(t.Context(), validator{&fake{about: about(verdict.UnitTurn)}}, nil); err != nil || !next.Verdict.Passed {
		t.Errorf("the judge after it: %+v, %v", next, err)
	}
}

func TestCounts(t *testing.T) {
	m := judge.New(judge.Config{Run: runOf(2, 1)})
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedAnswer), fails: func(it judge.Item) error {
		if it.Trajectory == "t0" && it.Turn == 1 {
			return kindError{"memory"}
		}
		return nil
	}}
	j, err := m.Count(t.Context(), counter{f})
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(len(`{"role":"assistant","content":"answer 0.0"}`))
	want := []verdict.Count{{Output: &n}, {Reason: judge.ReasonPluginError}, {Output: &n}}
	if diff := cmp.Diff(want, j.Counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next := &fake{about: about(verdict.UnitTurn)}
	if _, err := m.Validate(t.Context(), validator{next}, nil); err != nil {
		t.Fatal(err)
	}
	for i, c := range m.Counts() {
		if diff := cmp.Diff(&want[i], c); diff != "" || cmp.Diff(&want[i], next.items[i].Counted) != "" {
			t.Errorf("count %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestCountsAreInTheOrderOfTheRun plays two conversations whose turns ended in turns: counts are asked for in judging order, and
// stand where the run has their samples.
func TestCountsAreInTheOrderOfTheRun(t *testing.T) {
	run := runOf(2, 2)
	s := run.Samples
	run.Samples = []sample.Sample{s[2], s[0], s[3], s[1]}
	lengths := []uint64{}
	for i := range run.Samples {
		answer := message("assistant", strings.Repeat("x", 10*i))
		run.Samples[i].Answer = &chat.Answer{Message: answer}
		lengths = append(lengths, uint64(len(answer)))
	}
	m := judge.New(judge.Config{Run: run})
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedAnswer)}
	j, err := m.Count(t.Context(), counter{f})
	if err != nil || len(j.Counts) != len(lengths) {
		t.Fatalf("%d counts, %v", len(j.Counts), err)
	}
	if got := f.items[0].Trajectory; got != "t0" {
		t.Errorf("the first item asked for is of %s", got)
	}
	for i, want := range lengths {
		if got := *j.Counts[i].Output; got != want || *m.Counts()[i].Output != want {
			t.Errorf("sample %d: judgement has %d, material %d, want %d", i, got, *m.Counts()[i].Output, want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{about: about(verdict.UnitTurn)}
	c := judge.Config{Run: runOf(5000), OnProgress: func(p judge.Progress) {
		if p.Done > 600 {
			cancel()
		}
	}}
	if _, err := judge.New(c).Validate(ctx, validator{f}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFactsAndTelemetry(t *testing.T) {
	run := runOf(1)
	body := []byte("metric 1\n")
	run.Content.(journal.MemoryContents)[digest.Of(body)] = body
	run.Telemetry = []journal.Telemetry{{At: 7, Source: "metrics", Body: digest.Of(body)}}
	for _, p := range []string{"version", "other", "after"} {
		run.Facts = append(run.Facts, journal.Probe{Fact: verdict.Fact{Probe: p}})
	}
	f := &fake{about: about(verdict.UnitTurn, verdict.NeedTelemetry)}
	f.about.Probes = []verdict.Probe{{ID: "version"}, {ID: "after", After: true}}
	validate(t, judge.Config{Run: run, RunConfig: json.RawMessage(`{"c":1}`)}, f)
	if diff := cmp.Diff([]verdict.Fact{{Probe: "version"}}, f.facts); diff != "" {
		t.Errorf("preflight (-want +got):\n%s", diff)
	}
	want := judge.Conclusion{
		Account: []byte("t0.0+1;"), Metrics: json.RawMessage(`{"m":1}`), RunConfig: json.RawMessage(`{"c":1}`),
		Facts:     []verdict.Fact{{Probe: "version"}, {Probe: "after"}},
		Telemetry: json.RawMessage(`[{"at_ns":7,"source":"metrics","sha256":"` + digest.Of(body).String() + `","text":"metric 1\n"}]`),
	}
	if diff := cmp.Diff(want, f.concluded); diff != "" {
		t.Errorf("conclusion (-want +got):\n%s", diff)
	}
}
