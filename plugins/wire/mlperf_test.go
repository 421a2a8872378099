package wire_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wire"
)

// loadShipped loads the shipped plugin as the runner does. All tests share one compile cache, since compiling takes
// seconds.
func loadShipped(tb testing.TB, name string) *wire.Plugin {
	tb.Helper()
	s := &store.Store{Std: os.DirFS("../../workloads")}
	m, err := s.Fetch(name)
	if err != nil {
		tb.Fatal(err)
	}
	h, err := host.New(host.Options{CacheDir: filepath.Join(os.TempDir(), "paceline-test-wasm")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = h.Close() })
	p, err := h.Load(host.Module{Name: m.Name, Path: m.Path, Bytes: m.Bytes, Expected: &m.Digest})
	if err != nil {
		tb.Fatal(err)
	}
	w, err := wire.Load(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

const tiny = "../../workloads/mlperf/agentic/testdata/tiny.jsonl"

func agentic(tb testing.TB, p *wire.Plugin) *wire.Workload {
	tb.Helper()
	in, err := store.OpenInput(tiny)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = in.Close() })
	w, err := p.OpenWorkload(tb.Context(), wire.Options{
		FullName: "std/mlperf/agentic", Component: "agentic", RootSeed: 1, Granted: []lock.Capability{lock.CapabilityInputs},
		Inputs: []wire.Input{{Name: "dataset", File: in.File, Size: in.Size, SHA256: in.SHA256}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = w.Close() })
	return w
}

// TestShippedWorkload plays the shipped plugin in its sandbox.
func TestShippedWorkload(t *testing.T) {
	w := agentic(t, loadShipped(t, "std/mlperf"))
	checked, err := w.CheckInputs(t.Context(), nil)
	if err != nil || checked.Items == 0 || checked.Items != w.Info().Trajectories {
		t.Fatalf("got %+v and %v, and %d trajectories", checked, err, w.Info().Trajectories)
	}
	for i := range w.Info().Trajectories {
		one, err := w.Plan(t.Context(), i, 0)
		if err != nil {
			t.Fatal(err)
		}
		other, err := w.PlanFresh(t.Context(), i, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, other); diff != "" {
			t.Errorf("trajectory %d differs in a fresh instance: %s", i, diff)
		}
	}
	if _, err := w.Plan(t.Context(), 1<<40, 0); err == nil {
		t.Error("an index beyond the end is planned")
	}
}

func TestShippedJudges(t *testing.T) {
	p := loadShipped(t, "mlperf")
	s, err := p.OpenScorer(t.Context(), wire.Options{FullName: "std/mlperf/inline", Component: "inline", RootSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := p.OpenValidator(t.Context(), wire.Options{FullName: "std/mlperf/output-length", Component: "output-length", RootSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	item := judge.Item{Sample: &sample.Sample{ID: sample.ID{Trajectory: "c"}, Phase: sample.Measure, Exchange: sample.Exchange{Outcome: sample.OK, Timing: sample.NoTiming()}}, InWindow: true}
	item.Answer = &chat.Answer{Message: []byte(`{"role":"assistant","content":"x"}`), Usage: chat.Usage{Reported: true, CompletionTokens: 7}}
	checked, err := v.Check(t.Context(), []judge.Item{item})
	if err != nil {
		t.Fatal(err)
	}
	account, err := v.Fold(t.Context(), nil, checked.Account)
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := v.Conclude(t.Context(), judge.Conclusion{Account: account, Metrics: []byte(`{}`), RunConfig: []byte(`{}`)})
	if err != nil || verdict.Passed || len(verdict.Values) == 0 {
		t.Errorf("without bounds: got %+v and %v", verdict, err)
	}
	if _, err := s.Score(t.Context(), []judge.Item{item}); err != nil {
		t.Error(err)
	}
}

func BenchmarkShippedPlan(b *testing.B) {
	w := agentic(b, loadShipped(b, "mlperf"))
	for b.Loop() {
		if _, err := w.Plan(b.Context(), 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is the time from nothing to the first plan, with a warm compile cache.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		w := agentic(b, loadShipped(b, "mlperf"))
		if _, err := w.Plan(b.Context(), 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}
