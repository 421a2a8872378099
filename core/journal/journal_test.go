package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results", "run-1")
	if err := journal.Create(dir); err != nil {
		t.Fatal(err)
	}
	if err := journal.Create(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	mustWrite(t, filepath.Join(dir, "report.json"), nil)
	if err := journal.Create(dir); !errors.Is(err, journal.ErrNotEmpty) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder with a file: got %v, want ErrNotEmpty with the folder's name", err)
	}
}

func TestWriteWholeKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "summary.json")
	mustWrite(t, path, []byte("old"))
	full := errors.New("no space left on device")
	err := journal.WriteWhole(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the new")
		return full
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want the reason and %s", err, path)
	}
	entries, _ := os.ReadDir(dir)
	data, _ := os.ReadFile(path)
	if string(data) != "old" || len(entries) != 1 {
		t.Errorf("after the error: %q and %d files, want the old file alone", data, len(entries))
	}
	if err := journal.WriteWhole(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "new" {
		t.Errorf("got %q", data)
	}
}

// TestRoundTrip writes every kind of record with every field set and reads it back.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		m := maker{rand.New(rand.NewPCG(seed, 1))}
		dir := create(t)
		head := journal.Head{
			Run: m.text(), Worker: m.text(), Epoch: epoch, Attempt: 2, Build: m.text(), RunConfig: digest.Of(m.bytes()),
		}
		lock := digest.Of(m.bytes())
		head.Lock = &lock
		w := open(t, dir, journal.Options{Head: head})
		tr := m.trajectory("t1")
		at := m.id("std/mlperf/agentic", "t1", 0)
		c := sample.Conversation{
			ID: at, Domain: m.text(), Labels: []trajectory.Label{{Key: m.text(), Value: m.text()}}, Planned: 3, Phase: sample.Warmup,
			Arrival: m.offset(), Start: m.offset(), End: m.offset(), State: sample.Failed, Cause: m.text(), Outcome: m.text(), Result: m.bytes(),
		}
		step := &trajectory.Step{
			State: m.bytes(), Turns: m.trajectory("x").Turns[2:], End: &trajectory.End{Outcome: m.text(), Result: m.raw()},
		}
		want := &journal.Run{Epoch: epoch, Conversations: []sample.Conversation{c}}
		w.Planned(tr, at.Repeat)
		w.Started(&c)
		for i := range uint32(3) {
			turn := at
			turn.Turn, turn.Branch = i, i
			s := m.sample(turn)
			w.Sent(turn, m.offset(), 77)
			w.Sampled(s)
			want.Samples = append(want.Samples, *s)
		}
		w.Stepped(at, step, 5, 9)
		w.Ended(&c)
		fact, body, check := m.fact(), m.bytes(), sample.SelfCheck{At: m.offset(), Phase: sample.Drain, Users: 4, CPUNanos: m.Int64()}
		w.Phase(sample.Measure, 3)
		w.Fact(fact, 4)
		again := sample.Recheck{ID: sample.ID{Workload: at.Workload, Trajectory: "another"}, At: 5, Outcome: sample.OK, Status: 200, Cause: m.text()}
		w.Rechecked(&again)
		w.Checked(check)
		w.Told("metrics", 6, body)
		reading := journal.Telemetry{Rec: "telemetry", At: 7, Source: "/metrics", Reading: &engine.Reading{Engine: engine.SGLang, Values: map[engine.Quantity]int64{engine.Running: 3}}}
		w.Metered(reading)
		end := journal.Ending{At: 99, Reason: journal.ReasonComplete, Cause: m.text(), PlanNanos: 12}
		if err := w.Close(end); err != nil {
			t.Fatal(err)
		}

		got := read(t, dir)
		head.Rec, head.Schema, head.Segment = "head", journal.Version, 1
		want.Heads = []journal.Head{head}
		doc, err := journal.EncodeTrajectory(tr)
		if err != nil {
			t.Fatal(err)
		}
		stepDoc, err := journal.EncodeStep(step)
		if err != nil {
			t.Fatal(err)
		}
		want.Plans = []journal.Plan{{
			Rec: "plan", Workload: at.Workload, Trajectory: "t1", Index: tr.Index, Repeat: at.Repeat, Content: doc.Digest(),
			Turns: []uint32{0, 1, 2}, Branches: []uint32{0, 1, 2}, Domain: tr.Domain, Labels: tr.Labels,
		}}
		want.Lives = []journal.Live{{
			Rec: "live", ID: at, Start: 5, Done: 9, Step: stepDoc.Digest(), Turns: []uint32{2}, Branches: []uint32{2}, End: step.End,
		}}
		want.Phases = []journal.PhaseChange{{Rec: "phase", Phase: sample.Measure, At: 3}}
		want.Facts = []journal.Probe{{Rec: "probe", At: 4, Fact: fact}}
		want.Rechecks = []sample.Recheck{again}
		want.SelfChecks = []sample.SelfCheck{check}
		want.Telemetry = []journal.Telemetry{{Rec: "telemetry", At: 6, Source: "metrics", Body: digest.Of(body)}, reading}
		want.Foot = &journal.Foot{Rec: "foot", At: 99, Reason: journal.ReasonComplete, Cause: end.Cause, Records: 17, PlanNanos: 12}
		if diff := cmp.Diff(want, got, equal...); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if back, err := journal.DecodeTrajectory(got.Content, doc.Digest()); err != nil || cmp.Diff(tr, back) != "" {
			t.Fatalf("seed %d: trajectory: %v\n%s", seed, err, cmp.Diff(tr, back))
		}
		if back, err := journal.DecodeStep(got.Content, stepDoc.Digest()); err != nil || cmp.Diff(step, back) != "" {
			t.Fatalf("seed %d: step: %v\n%s", seed, err, cmp.Diff(step, back))
		}
		if b, ok := got.Content.Get(digest.Of(body)); !ok || !bytes.Equal(b, body) {
			t.Fatalf("seed %d: telemetry body %q", seed, b)
		}
	}
}

func TestTextsAreStoredOnce(t *testing.T) {
	dir := create(t)
	tools := json.RawMessage(`[{"type":"function","function":{"name":"bash"}}]`)
	one, two := planned(), planned()
	one.Tools, two.Tools, two.ID = tools, tools, "u"
	for range 2 { // the second segment finds what the first one stored
		w := open(t, dir, journal.Options{})
		w.Planned(one, 0)
		w.Planned(two, 0)
		if err := w.Close(journal.Ending{}); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for r, err := range journal.Lines(filepath.Join(dir, journal.ContentFile)) {
		if err != nil {
			t.Fatal(err)
		}
		var c journal.Content
		if err := json.Unmarshal(r.Line, &c); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, *c.Text)
	}
	want := []string{string(tools), `{"role":"user","content":"go on"}`, `{"role":"assistant","content":"done"}`}
	if len(texts) != len(want)+2 || !slices.Equal(texts[:3], want) {
		t.Errorf("store holds %d texts:\n%s", len(texts), strings.Join(texts, "\n"))
	}
}

func TestDocumentGolden(t *testing.T) {
	d, err := journal.EncodeTrajectory(planned())
	if err != nil {
		t.Fatal(err)
	}
	turn := func(n string) string {
		return `{"index":` + n + `,"append":[{"json":"` + digest.Of([]byte(`{"role":"user","content":"go on"}`)).String() +
			`"}],"recorded":{"json":"` + digest.Of([]byte(`{"role":"assistant","content":"done"}`)).String() + `"}}`
	}
	want := `{"schema":"trajectory/v1","id":"t","index":0,"domain":"coding","tools":"` + digest.Of([]byte(`[ ]`)).String() +
		`","turns":[` + turn("0") + "," + turn("1") + "," + turn("2") + `]}`
	if got := string(d.Body); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	bad := planned()
	bad.Domain = "\xff"
	if _, err := journal.EncodeTrajectory(bad); err == nil {
		t.Error("a domain that is no text was encoded")
	}
}

// TestCutShort reads a run whose runner died: a conversation of three turns, one answered, one sent, one not.
func TestCutShort(t *testing.T) {
	dir := create(t)
	w := open(t, dir, journal.Options{})
	w.Planned(planned(), 0)
	other := planned()
	other.ID = "never-started"
	w.Planned(other, 0)
	w.Phase(sample.Measure, 0)
	w.Started(conversation())
	w.Sent(id(0), 1, 10)
	w.Sampled(answered(0, "yes"))
	w.Sent(id(1), 11, 20)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	run := read(t, dir) // the writer is not closed: no foot
	if !run.Incomplete || run.Foot != nil || run.Recovered != 2 {
		t.Errorf("incomplete %v, foot %v, recovered %d; want true, nil, 2", run.Incomplete, run.Foot, run.Recovered)
	}
	if c := run.Conversations[0]; c.State != sample.Interrupted || c.End.Set() {
		t.Errorf("conversation %+v", c)
	}
	type row struct {
		Turn    uint32
		Outcome sample.Outcome
		Cause   string
		Sent    sample.Offset
		Phase   sample.Phase
	}
	var got []row
	for _, s := range run.Samples {
		got = append(got, row{s.Turn, s.Outcome, s.Cause, s.Timing.Sent, s.Phase})
	}
	want := []row{
		{0, sample.OK, "", 1, sample.Measure},
		{1, sample.Unfinished, "", 11, sample.Measure},
		{2, sample.NotSent, sample.CauseRunnerDied, sample.Unset, sample.Measure},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if err := w.Close(journal.Ending{}); err != nil {
		t.Fatal(err)
	}
}

// TestDiedInAPart: turns outside of the part that a conversation played are not missing.
func TestDiedInAPart(t *testing.T) {
	for _, c := range []struct {
		part sample.Part
		want []uint32
	}{
		{sample.Part{From: 1, To: 3, Of: 3}, []uint32{1, 2}}, {sample.Part{From: 0, To: 2, Of: 3}, []uint32{0, 1}},
		{sample.Part{From: -4, To: 99, Of: 3}, []uint32{0, 1, 2}}, {sample.Part{From: 9, To: -1, Of: 3}, nil},
	} {
		dir := create(t)
		w := open(t, dir, journal.Options{})
		w.Planned(planned(), 0)
		w.SkippedIn("std/mlperf/agentic", planned(), 1, sample.Skipped{Turn: 2, Tokens: 40_000})
		started := conversation()
		started.Part = &c.part
		w.Started(started)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		run := read(t, dir)
		var got []uint32
		for _, s := range run.Samples {
			got = append(got, s.Turn)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("part %+v: %s", c.part, diff)
		}
		if run.Plans[0].Skipped != nil || *run.Plans[1].Skipped != (sample.Skipped{Turn: 2, Tokens: 40_000}) {
			t.Errorf("skipped: %+v %+v", run.Plans[0].Skipped, run.Plans[1].Skipped)
		}
		if err := w.Close(journal.Ending{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTornEnd(t *testing.T) {
	dir := create(t)
	w := open(t, dir, journal.Options{})
	w.Planned(planned(), 0)
	w.Started(conversation())
	w.Sampled(answered(0, "a"))
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journal.SegmentFile(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Sampled(answered(1, "b"))
	if err := w.Close(journal.Ending{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(whole); cut < len(data); cut += 7 {
		mustWrite(t, path, data[:cut])
		run := read(t, dir)
		if run.Foot != nil || !run.Incomplete {
			t.Fatalf("cut at %d: a foot", cut)
		}
		if run.Samples[0].Outcome != sample.OK {
			t.Fatalf("cut at %d: the first frame is lost", cut)
		}
		if got := int64(cut - len(whole)); run.Torn > got {
			t.Fatalf("cut at %d: torn %d of %d bytes", cut, run.Torn, got)
		}
		var out bytes.Buffer
		if err := journal.Cat(&out, dir); (err == nil) != (run.Torn == 0) || bytes.Count(out.Bytes(), []byte("\n")) < 4 {
			t.Fatalf("cut at %d: cat gave %v and\n%s", cut, err, out.String())
		}
	}
	// Damage in the middle costs its own frame only, and is named.
	data[len(whole)-6] ^= 0xff
	mustWrite(t, path, data)
	run := read(t, dir)
	if len(run.Damage) == 0 || run.Damage[0].Tail || run.Torn != 0 || run.Foot == nil {
		t.Errorf("damage %+v, torn %d, foot %v", run.Damage, run.Torn, run.Foot)
	}
	if err := journal.Verify(dir); err == nil || !strings.Contains(err.Error(), "journal-000001.jsonl.zst at byte") {
		t.Errorf("verify: %v", err)
	}
}

func TestSegmentsJoin(t *testing.T) {
	dir := create(t)
	config, err := journal.WriteRunConfig(dir, &journal.RunConfig{Run: "r", Config: json.RawMessage(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	first := open(t, dir, journal.Options{Head: journal.Head{Epoch: epoch.Add(time.Second), RunConfig: config}})
	first.Planned(planned(), 0)
	first.Started(conversation())
	first.Sampled(answered(0, "a"))
	if err := first.Close(journal.Ending{At: 40, Reason: journal.ReasonAborted}); err != nil {
		t.Fatal(err)
	}
	second := open(t, dir, journal.Options{Head: journal.Head{Epoch: epoch, Attempt: 1, RunConfig: config}})
	c := conversation()
	c.Attempt, c.End, c.State = 1, 60, sample.Complete
	second.Started(c)
	for i := range uint32(3) {
		s := answered(i, "b")
		s.Attempt = 1
		second.Sampled(s)
	}
	second.Ended(c)
	if err := second.Close(journal.Ending{At: 50, Reason: journal.ReasonComplete}); err != nil {
		t.Fatal(err)
	}
	run := read(t, dir)
	if run.Incomplete || !run.Epoch.Equal(epoch) || len(run.Heads) != 2 || run.Foot.Reason != journal.ReasonComplete {
		t.Errorf("incomplete %v, epoch %v, %d heads, foot %+v", run.Incomplete, run.Epoch, len(run.Heads), run.Foot)
	}
	if got, want := run.Samples[0].Timing.Sent, sample.Offset(time.Second)+1; got != want {
		t.Errorf("first segment's Sent is %d, want %d from the earliest epoch", got, want)
	}
	if n := len(run.Samples); n != 6 || run.Samples[3].Attempt != 1 || run.Conversations[0].Attempt != 1 {
		t.Errorf("%d samples, %+v", n, run.Conversations)
	}
	if err := journal.Verify(dir); err != nil {
		t.Errorf("verify: %v", err)
	}
	mustWrite(t, filepath.Join(dir, journal.SegmentFile(1)), []byte("another"))
	if err := journal.Verify(dir); err == nil || !strings.Contains(err.Error(), "the segment before it has digest") {
		t.Errorf("verify after a change: %v", err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	dir := create(t)
	w := open(t, dir, journal.Options{QueueBytes: 2000, FlushEvery: time.Hour})
	for i := range uint32(50) {
		w.Sampled(answered(i, "text"))
	}
	if lost := w.Lost(); lost < 45 || w.QueueBytes() > 2000 {
		t.Errorf("lost %d of 50, queue holds %d bytes", lost, w.QueueBytes())
	}
	lost := w.Lost()
	if err := w.Close(journal.Ending{Reason: journal.ReasonComplete}); err != nil {
		t.Fatal(err)
	}
	w.Sampled(answered(99, "late"))
	if w.Lost() != lost+1 {
		t.Errorf("a record after the close is not counted")
	}
	if run := read(t, dir); run.Foot.Lost != lost || run.Foot.Lost+run.Foot.Records != 51 {
		t.Errorf("foot %+v", run.Foot)
	}
}

// TestFlushEvery proves on the fake clock that a record is in the file one interval after it came.
func TestFlushEvery(t *testing.T) {
	dir := create(t)
	synctest.Test(t, func(t *testing.T) {
		w := open(t, dir, journal.Options{})
		for i := range uint32(5) {
			w.Sampled(answered(i, "x"))
			time.Sleep(time.Second)
			if run := read(t, dir); len(run.Samples) != int(i)+1 {
				t.Errorf("%d samples after second %d", len(run.Samples), i+1)
			}
		}
		if err := w.Close(journal.Ending{}); err != nil {
			t.Error(err)
		}
	})
}

func TestJudgements(t *testing.T) {
	dir := create(t)
	if list, err := journal.ReadJudgements(dir); err != nil || list != nil {
		t.Errorf("without a file: %v, %v", list, err)
	}
	turn := uint32(2)
	want := []verdict.Judgement{
		{
			About: verdict.About{Name: "std/mlperf/inline", Kind: "scorer", Unit: verdict.UnitTurn, Config: json.RawMessage(`{"a":1}`)},
			Seed:  "00", Items: []verdict.ItemScore{{Trajectory: "t", Turn: &turn, Scored: true, Micro: -5, Detail: json.RawMessage(`{"x":"<&>"}`)}},
			Score: &verdict.Score{Score: &verdict.Value{Name: "s", Micro: 3}, Complete: true},
		},
		{About: verdict.About{Name: "std/mlperf/output-length", Kind: "validator"}, Error: "conclude: trap"},
	}
	if err := journal.WriteJudgements(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := journal.ReadJudgements(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := append(slices.Clone(want), verdict.Judgement{About: verdict.About{Name: "x", Config: json.RawMessage(`{`)}})
	if err := journal.WriteJudgements(dir, broken); err == nil {
		t.Error("broken JSON was written")
	}
	if got, err := journal.ReadJudgements(dir); err != nil || len(got) != 2 {
		t.Errorf("the old judgements are gone: %d, %v", len(got), err)
	}
}

func TestRunConfig(t *testing.T) {
	dir := create(t)
	want := &journal.RunConfig{
		Schema: journal.RunSchema, Run: "r1", Config: json.RawMessage(`{"users":8}`), Seed: "18446744073709551615",
		Inputs: []journal.Input{{Name: "dataset", Path: "a<b>.jsonl", Size: 5, SHA256: digest.Of(nil)}}, TLSVerify: true,
		Workload: journal.Workload{Name: "std/mlperf/agentic", Tools: json.RawMessage(`[]`)},
	}
	sum, err := journal.WriteRunConfig(dir, want)
	if err != nil {
		t.Fatal(err)
	}
	got, again, err := journal.ReadRunConfig(dir)
	if err != nil || again != sum {
		t.Fatalf("%v, digests %s and %s", err, sum, again)
	}
	if string(got.Config) != "{\n    \"users\": 8\n  }" {
		t.Errorf("config %s", got.Config)
	}
	got.Config = want.Config
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
