package rust

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
	pb "paceline/schemas/gen/pluginv1"
)

// lines collects what a plugin logs.
type lines struct {
	mu  sync.Mutex
	all []host.Line
}

func (l *lines) add(line host.Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, line := range l.all {
		b.WriteString(line.Text + "\n")
	}
	return b.String()
}

// openEvery opens a component of the plugin of tests.
func openEvery(t *testing.T, p *host.Plugin, component string) grpc.ClientConnInterface {
	t.Helper()
	names := []byte("0123456789")
	opts := host.ComponentOptions{Name: component, Inputs: []host.Input{{File: fileOf(t, names), Size: int64(len(names))}},
		Limits: lock.Limits{Memory: 64 << 20}}
	opts.Opened = func(ctx context.Context, conn grpc.ClientConnInterface) error {
		_, err := pb.NewPluginClient(conn).Open(ctx, &pb.OpenRequest{Component: component, Seed: make([]byte, 32),
			Inputs: []*pb.Input{{Name: "names", Size: uint64(len(names))}}, Granted: []pb.Capability{pb.Capability_CAPABILITY_INPUTS}})
		return err
	}
	c, err := p.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.Conn()
}

func fail(t *testing.T, conn grpc.ClientConnInterface, way string) (*pb.ScoreResponse, error) {
	t.Helper()
	return pb.NewScorerClient(conn).Score(t.Context(), &pb.ScoreRequest{Samples: []*pb.Sample{{Trajectory: way}}})
}

// TestFailures: what a component does not foresee ends its instance and says why in the log, and the next call has another.
func TestFailures(t *testing.T) {
	var logged lines
	p := load(t, get(t, every), host.Options{Log: logged.add})
	conn := openEvery(t, p, "fails")
	for _, c := range []struct {
		way, logs string
		cause     host.Cause
	}{
		{"panic", "the batch has 1 samples", host.Trap},
		{"index", "index out of bounds: the len is 1 but the index is 1", host.Trap},
		{"memory", "", host.Memory},
	} {
		_, err := fail(t, conn, c.way)
		if e, ok := errors.AsType[*host.Error](err); !ok || e.Cause != c.cause || e.Component != "fails" {
			t.Errorf("%s: got %v, want %s", c.way, err, c.cause)
		}
		if !strings.Contains(logged.String(), c.logs) {
			t.Errorf("%s: the log does not say %q:\n%s", c.way, c.logs, logged.String())
		}
		_, err = fail(t, conn, "so")
		if e, ok := errors.AsType[*host.Error](err); !ok || e.Cause != host.Status || e.Code != 10 || e.Text != "so" {
			t.Errorf("after %s: got %v, want status 10", c.way, err)
		}
	}
	_, err := fail(t, conn, "long")
	if e, ok := errors.AsType[*host.Error](err); !ok || e.Code != 15 || e.Text != strings.Repeat("é", 2048) {
		t.Errorf("a long text: got %.200v", err)
	}
}

// TestInput reads an input inside of the module at all kinds of places.
func TestInput(t *testing.T) {
	conn := openEvery(t, load(t, get(t, every), host.Options{}), "fails")
	r, err := fail(t, conn, "input")
	want := "4:0123;2:89;0:;read input names at 18446744073709551615: outside of memory or of the input's range;read input names at 9: it ends there89"
	if err != nil || string(r.GetAccount()) != want {
		t.Errorf("got %q, %v\nwant %q", r.GetAccount(), err, want)
	}
}

// TestLive plays a conversation, the checks of its input and the other kinds of components inside of the module.
func TestLive(t *testing.T) {
	p := load(t, get(t, every), host.Options{})
	if _, err := wire.Load(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	conn := openEvery(t, p, "ask")
	w := pb.NewWorkloadClient(conn)
	plan, err := w.Plan(t.Context(), &pb.PlanRequest{Seed: make([]byte, 32)})
	if err != nil || string(plan.GetTrajectory().GetState()) != "0123456789" {
		t.Fatalf("plan: %+v, %v", plan, err)
	}
	next, err := w.Next(t.Context(), &pb.NextRequest{State: plan.GetTrajectory().GetState(), Answer: &pb.Answer{Message: []byte(`{"content":"on"}`)}})
	if err != nil || len(next.GetTurns()) != 1 || next.GetEnd() != nil {
		t.Errorf("next: %+v, %v", next, err)
	}
	next, err = w.Next(t.Context(), &pb.NextRequest{State: next.GetState(), Turn: 1, Answer: &pb.Answer{Message: []byte(`{"content":"stop"}`)}})
	if err != nil || next.GetEnd().GetOutcome() != "solved" || string(next.GetState()) != "0123456789++" {
		t.Errorf("end: %+v, %v", next, err)
	}
	step, err := pb.NewPluginClient(conn).CheckInputs(t.Context(), &pb.CheckInputsRequest{MaxFaults: 10})
	if err != nil || step.GetDone() || step.GetItems() != 1 {
		t.Errorf("check inputs: %+v, %v", step, err)
	}
	up := pb.NewValidatorClient(openEvery(t, p, "up"))
	found, err := up.Preflight(t.Context(), &pb.PreflightRequest{Facts: []*pb.Fact{{Probe: "a"}, {Probe: "b", Status: 200}}})
	if err != nil || len(found.GetFindings()) != 1 {
		t.Errorf("preflight: %+v, %v", found, err)
	}
	counted, err := pb.NewCounterClient(openEvery(t, p, "bytes")).Count(t.Context(), &pb.CountRequest{Samples: []*pb.Sample{{Answer: &pb.Answer{Message: []byte("12345")}}}})
	if err != nil || counted.GetCounts()[0].GetOutput() != 5 {
		t.Errorf("count: %+v, %v", counted, err)
	}
}
