package standin

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/mlperf/domain"
)

func made(t *testing.T, o Options) ([]byte, Facts) {
	t.Helper()
	var b bytes.Buffer
	f, err := Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	if f.Bytes != int64(b.Len()) {
		t.Errorf("%d bytes are told, %d were written", f.Bytes, b.Len())
	}
	return b.Bytes(), f
}

// TestSameBytes: the bytes of a seed never change; another generator gets another version.
func TestSameBytes(t *testing.T) {
	const want = "6744d2fcd5f28163359e9bcbab6e6138bfe67dcd48ccd0c5686e7596aaa77d3d"
	text, _ := made(t, Options{Seed: 1, Trajectories: 12})
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
		t.Errorf("sha256 %s, want %s", got, want)
	}
	if other, _ := made(t, Options{Seed: 2, Trajectories: 12}); bytes.Equal(text, other) {
		t.Error("another seed gives the same bytes")
	}
}

// TestWhole: a whole stand-in has the counts of the data set, whatever the seed.
func TestWhole(t *testing.T) {
	want := Facts{Coding: 113, Workflow: 500, ClientTurns: 30335, AssistantTurns: 30328, OpenEnds: 7}
	for _, seed := range []uint64{0, 1, 1<<64 - 1} {
		var f Facts
		for _, c := range shape(Options{Seed: seed, Trajectories: 613}) {
			f.add(c)
			if d := c.bounds(); c.clients < d.least || c.clients > d.most {
				t.Errorf("seed %d: %+v is outside of %+v", seed, c, d)
			}
		}
		if f != want {
			t.Errorf("seed %d: %+v", seed, f)
		}
	}
	if f, err := Write(io.Discard, Options{Seed: 3}); err != nil || f.Bytes < 20<<20 || f.Bytes > 150<<20 {
		t.Errorf("%+v %v", f, err)
	}
}

func TestSmall(t *testing.T) {
	for _, n := range []int{1, 2, 3, 6, 7, 39} {
		_, f := made(t, Options{Seed: 5, Trajectories: n})
		if f.Coding+f.Workflow != n || f.OpenEnds < 1 || f.ClientTurns != f.AssistantTurns+f.OpenEnds || f.Coding < 1 {
			t.Errorf("%d: %+v", n, f)
		}
	}
	for _, n := range []int{-1, 614} {
		if _, err := Write(io.Discard, Options{Trajectories: n}); err == nil {
			t.Errorf("%d is taken", n)
		}
	}
}

// TestRows: the workload takes the file, workflow conversations share system prompt and tools and name intents, coding ones
// call bash, and the first row says what it is.
func TestRows(t *testing.T) {
	text, facts := made(t, Options{Seed: 1, Trajectories: 40})
	src := bytes.NewReader(text)
	index, err := dataset.Scan(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	checker, err := dataset.NewChecker(src, src.Size(), index, nil)
	if err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		faults, end, err := checker.Step(100, int64(len(text)))
		if err != nil || len(faults) > 0 {
			t.Fatalf("%v %v", faults, err)
		}
		done = end
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if m := ReadMeta(first); m == nil || m.Official || !m.StandIn || m.Name != Name || m.Seed != "1" || m.Whole() || !strings.Contains(m.Notice, "not the data set") {
		t.Errorf("metadata %s", first)
	}
	if ReadMeta([]byte(`{"_type":"dataset_metadata","name":"other"}`)) != nil || ReadMeta([]byte(`{`)) != nil {
		t.Error("another row is taken for a stand-in's")
	}
	shared := map[string]bool{}
	delayed, intents, bash := 0, 0, 0
	for _, e := range index.Entries {
		rows, err := dataset.Rows(src, e)
		if err != nil {
			t.Fatal(err)
		}
		workflow := domain.Of(e.ID) == domain.Workflow
		if workflow {
			shared[string(rows[0].System)+string(rows[0].Tools)] = true
		}
		for _, row := range rows {
			if ns, ok := row.DelayNS(); ok && ns > 0 {
				delayed++
			}
			if !row.IntentCodes.Missing() {
				intents++
			}
			if !workflow && row.HasCalls() && strings.Contains(string(row.ToolCalls), `"name":"bash"`) {
				bash++
			}
		}
	}
	if len(shared) != 1 || delayed != facts.ClientTurns-40 || intents == 0 || bash == 0 {
		t.Errorf("%d prompts, %d delays, %d intents, %d calls of bash", len(shared), delayed, intents, bash)
	}
	if !json.Valid(first) {
		t.Error("the first row is no JSON")
	}
}
