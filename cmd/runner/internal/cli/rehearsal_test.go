package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/policy"
	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
	"paceline/core/trajectory"
	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
	"paceline/sweep"
	"paceline/sweep/cache"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == wasmworker.Command || os.Args[1] == native.Command) { // a worker of a plugin of ours
		os.Exit(Main(Process{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
	}
	os.Exit(m.Run())
}

// TestSweepInVirtualTime plays a sweep as `runner sweep` does, but for its clock: PACELINE_SWEEP holds the arguments of that
// command. Plan, plugins, inputs, judges and files are those of the real one; the load of each point runs in a bubble of
// testing/synctest against a simulated engine of its own, and its run says that its clock was simulated. See .ci/rehearsal.
func TestSweepInVirtualTime(t *testing.T) {
	policyText, dir := os.Getenv("PACELINE_SWEEP_POLICY"), os.Getenv("PACELINE_SWEEP_DIR")
	if dir == "" {
		t.Skip("PACELINE_SWEEP_DIR names no folder with a plan; .ci/rehearsal does")
	}
	t.Chdir(dir)
	answer, err := policy.Parse(policyText, 1)
	if err != nil {
		t.Fatal(err)
	}
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PACELINE_SWEEP_") })
	a := &app{Process: Process{Environ: environ, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, abort: make(chan struct{})}
	var f sweepFlags
	c := &cobra.Command{}
	f.register(c.Flags())
	if err := c.ParseFlags([]string{"--target", os.Getenv("PACELINE_SWEEP_TARGET"), "--out", "swept", "--locked"}); err != nil {
		t.Fatal(err)
	}
	c.SetContext(t.Context())
	s := newSweepPlay(a, c, &f)
	v := &virtual{t: t, app: a, engine: sim.Config{Model: "sim", Answer: answer, TokensPerChunk: chunk, KVTokens: 8_000_000, MaxContext: 1_000_000, Cost: sim.Cost{
		Base: chunk * 12 * time.Millisecond, DecodeSequence: chunk * 60 * time.Microsecond, ContextToken: chunk * 40 * time.Nanosecond,
	}}}
	s.playOne, s.emptier = v.play, v
	if err := s.open(t.Context(), "plan.yaml"); err != nil {
		t.Fatal(err)
	}
	defer s.release()
	if err := s.play(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// chunk is how many tokens the engine gives at once: fewer events make no other figures, and cost less time here.
const chunk = 64

// virtual plays points in virtual time.
type virtual struct {
	t      *testing.T
	app    *app
	engine sim.Config
}

// Empty implements sweep.Emptier: each point has an engine of its own, which begins empty. No probe shows that, so it is told as
// not provable.
func (*virtual) Empty(_ context.Context, _ *sweep.PlannedPoint, before string) (*cache.Verdict, error) {
	if before == "" {
		return &cache.Verdict{State: cache.FirstPoint}, nil
	}
	return &cache.Verdict{State: cache.NotProvable, Reason: "virtual time: the point has a simulated engine of its own, which begins empty"}, nil
}

// play does what app.play does. Plugins are processes, which know no virtual time: trajectories are planned before, and judges work
// after the load.
func (v *virtual) play(ctx context.Context, spec *runSpec) (*session.Reports, error) {
	st, err := v.app.openStage(ctx, spec, func() {})
	if err != nil {
		return nil, err
	}
	defer st.close()
	source, err := planAhead(ctx, st)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var dir string
	var played *session.Played
	synctest.Test(v.t, func(*testing.T) { dir, played, err = v.load(spec, st, source) })
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	run := spec.resolved.Run
	client, model, err := v.app.openTarget(ctx, run.Target, time.Now()) // of evaluations, on the real clock
	if err != nil {
		return nil, err
	}
	defer client.Close()
	asks, err := evaluations(ctx, &run, client, model, time.Now())
	if err != nil {
		return nil, err
	}
	reports, err := v.app.judge(ctx, dir, st, run.Judging.Workers, true, asks)
	if err != nil {
		return reports, err
	}
	v.t.Logf("%d users: %d turns, played in %v, judged in %v", run.Load.Users, reports.Result.Metrics.Failures.Planned,
		loaded.Sub(began).Round(time.Second), time.Since(loaded).Round(time.Second))
	return reports, outcome(reports.Result, played, nil)
}

// load plays in a bubble. The engine listens at the target's address, in memory.
func (v *virtual) load(spec *runSpec, st *stage, source sched.Source) (string, *session.Played, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	run := spec.resolved.Run
	network := coretest.NewNetwork()
	engine, err := sim.New(v.engine)
	if err != nil {
		return "", nil, err
	}
	address, err := url.Parse(run.Target.URL)
	if err != nil {
		return "", nil, err
	}
	l, err := network.Listen(address.Host)
	if err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- engine.Serve(ctx, l) }()
	defer func() { stop(); <-ended }()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: run.Target.URL, API: chat.API(loaded(&run).API), Path: run.Target.Path, ConnectTimeout: run.Target.ConnectTimeout,
		MaxIdle: run.Target.MaxIdle, MaxAnswer: run.Target.MaxAnswer, Dial: network.Dial}, epoch)
	if err != nil {
		return "", nil, err
	}
	defer client.Close()
	model, _, err := served(ctx, client, run.Target)
	if err != nil {
		return "", nil, err
	}
	at := []*place{{target: loaded(&run), reached: &reached{client: client, model: model}}}
	plan, err := v.app.plan(spec, st, at, epoch)
	if err != nil {
		return "", nil, err
	}
	plan.Config.Clock = journal.ClockSimulated
	if err := v.app.measureLengths(ctx, spec, &stage{seed: st.seed}, at, plan); err != nil { // workers know no virtual time: none is asked
		return "", nil, err
	}
	played, err := session.Play(ctx, plan, &session.Parts{Source: source, Issuer: client, Prober: prober(client, &plan.Sched), Epoch: epoch,
		Validators: st.validators, Scorers: st.scorers})
	return plan.Dir, played, err
}

// ahead are the trajectories of a workload, planned.
type ahead []*trajectory.Trajectory

// Plan implements sched.Source.
func (l ahead) Plan(_ context.Context, index uint64, _ uint32) (*trajectory.Trajectory, error) {
	if index >= uint64(len(l)) {
		return nil, fmt.Errorf("trajectory %d is not among the %d that were planned", index, len(l))
	}
	return l[index], nil
}

func planAhead(ctx context.Context, st *stage) (ahead, error) {
	w := st.workloads[0]
	list := make(ahead, w.info.Trajectories)
	for i := range list {
		var err error
		if list[i], err = w.supply().Source.Plan(ctx, uint64(i), 0); err != nil {
			return nil, err
		}
	}
	return list, nil
}
