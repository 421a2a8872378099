package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/verdict"
)

func exam() *verdict.About {
	return &verdict.About{Name: "my/quiz/exam", Kind: "scorer", Digest: digest.Of([]byte("plugin")), Config: json.RawMessage(`{"questions":3}`)}
}

// evaluated writes one evaluation of two steps and a request.
func evaluated(t *testing.T, dir string, done bool) {
	t.Helper()
	a := exam()
	w, err := journal.NewEvaluationWriter(dir, journal.EvaluationHead{Run: "r", Component: a.Name, Digest: a.Digest, Config: a.Config, Seed: "00", Epoch: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	turn := uint32(1)
	w.Step(journal.Evaluate{At: 1, ItemsDone: 1, ItemsTotal: 2, Status: "one", Items: []verdict.ItemScore{{Trajectory: "a", Turn: &turn, Scored: true}}}, []byte("state 1"))
	timing := sample.NoTiming()
	timing.Sent = 3
	request, answer := []byte(`{"messages":[]}`), []byte{0xff, 1}
	w.Relayed(journal.Relayed{Number: 1, Conversation: "a", Stream: true, Outcome: sample.OK, Status: 200, Request: digest.Of(request), RequestBytes: 15,
		Answer: digest.Of(answer), AnswerBytes: 2, Usage: &chat.Usage{Reported: true}}, &timing, request, answer)
	w.Relayed(journal.Relayed{Number: 2, Outcome: sample.Reset, Cause: "broke", Request: digest.Of(request), Answer: digest.Of(nil), AnswerBytes: 1 << 30}, &timing, request, nil)
	w.Step(journal.Evaluate{At: 9, ItemsDone: 2, ItemsTotal: 2, Done: done, Items: []verdict.ItemScore{{Trajectory: "b"}}}, []byte("state 2"))
	if err := w.Close(journal.EvaluationFoot{At: 10, Done: done, Cause: "interrupted", Passed: 2, Refused: 1}); err != nil {
		t.Fatal(err)
	}
}

func TestEvaluationFitsTheSchema(t *testing.T) {
	root, dir := readSchema(t), create(t)
	w := open(t, dir, journal.Options{})
	if err := w.Close(journal.Ending{Reason: journal.ReasonComplete}); err != nil {
		t.Fatal(err)
	}
	evaluated(t, dir, true)
	kinds := map[any]int{}
	for r, err := range journal.Lines(filepath.Join(dir, journal.EvaluationFile(1))) {
		var v map[string]any
		if err == nil {
			err = json.Unmarshal(r.Line, &v)
		}
		if err == nil {
			err = root.check(root.Defs["evaluation_record"], "", v)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, r.Line)
		}
		kinds[v["rec"]]++
	}
	if len(kinds) != 4 || kinds["relay"] != 2 {
		t.Errorf("%v", kinds)
	}
	var out strings.Builder
	if err := journal.Cat(&out, dir); err != nil || !strings.Contains(out.String(), `{"rec":"relay","number":1,`) {
		t.Errorf("%v: %s", err, out.String())
	}
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, ok := run.Content.Get(digest.Of([]byte{0xff, 1})); !ok || len(b) != 2 {
		t.Error("the store lacks an answer")
	}
	if err := journal.Verify(dir); err != nil {
		t.Error(err)
	}
}

func TestUnfinished(t *testing.T) {
	dir := create(t)
	w := open(t, dir, journal.Options{})
	if err := w.Close(journal.Ending{Reason: journal.ReasonComplete}); err != nil {
		t.Fatal(err)
	}
	find := func(a *verdict.About, seed string) *journal.EvaluationProgress {
		t.Helper()
		run, err := journal.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := journal.Unfinished(dir, a, seed, run.Content)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := find(exam(), "00"); p != nil {
		t.Errorf("none was made: %+v", p)
	}
	evaluated(t, dir, false)
	p := find(exam(), "00")
	if p == nil || p.Number != 1 || string(p.State) != "state 2" || len(p.Items) != 2 || p.Last.ItemsDone != 2 || *p.Items[0].Turn != 1 {
		t.Fatalf("%+v", p)
	}
	for name, change := range map[string]func(*verdict.About){
		"component": func(a *verdict.About) { a.Name = "my/quiz/other" },
		"plugin":    func(a *verdict.About) { a.Digest = digest.Of([]byte("other")) },
		"config":    func(a *verdict.About) { a.Config = json.RawMessage(`{}`) },
	} {
		a := exam()
		if change(a); find(a, "00") != nil {
			t.Errorf("another %s", name)
		}
	}
	if find(exam(), "01") != nil {
		t.Error("another seed")
	}
	// A torn end costs what it held.
	path := filepath.Join(dir, journal.EvaluationFile(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if p := find(exam(), "00"); p == nil || string(p.State) != "state 2" {
		t.Errorf("%+v", p)
	}
	evaluated(t, dir, true)
	if p := find(exam(), "00"); p != nil {
		t.Errorf("the last one was done: %+v", p)
	}
}
