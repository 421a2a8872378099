package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/endpoint"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [RUNFILE|PLUGIN/PRESET]",
		Short: "Play trajectories against an endpoint, judge and report",
		Long: "Plays the workload's trajectories closed loop against an endpoint that speaks one of OpenAI's APIs or Anthropic's\n" +
			"messages, judges what came, and writes a run folder with the journal, the judgements and the report. A preset of a\n" +
			"plugin, a run file (YAML) and flags say the same things; a run file wins over a preset, and flags over both.\n" +
			"schemas/run/v1 lists every key, docs/cli.md every exit code, docs/apis.md what becomes of messages by each API.",
		Example: "  runner run --target http://127.0.0.1:8000/v1 --workload std/mlperf/agentic \\\n" +
			"      --input dataset=agentic.jsonl --users 8 --score std/mlperf/inline\n" +
			"  runner run bench.yaml --set load.users=16 --out results/users-16\n" +
			"  runner run std/codeqa/quick --target http://127.0.0.1:8000/v1",
		Args: atMost("RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			arg := ""
			if len(args) == 1 {
				arg = args[0]
			}
			r, err := a.resolve(c, &f, arg)
			if err != nil {
				return err
			}
			spec := &runSpec{resolved: r, dir: folderOf(arg), lock: f.lock, locked: f.locked, dev: f.dev, quiet: f.quiet || f.json,
				policy: f.policy, plainHTTP: f.plainHTTP}
			reports, err := a.play(c.Context(), spec)
			if reports != nil {
				show := output{quiet: f.quiet && !f.json, json: f.json}
				if werr := show.write(a, reports); err == nil {
					err = werr
				}
			}
			return err
		},
	}
	f.register(c.Flags())
	return c
}

// runSpec is one run to be played.
type runSpec struct {
	resolved config.Resolved
	dir      string // of the run file, where its lock stands; "." without one; empty: no lock is looked for
	lock     string // --lock
	locked   bool
	dev      []string
	quiet    bool
	gates    *liveGates // of a sweep's point; nil: none

	policy    string // file; empty: none
	plainHTTP bool   // registries that are not on the loopback are spoken to in http too
}

// play opens everything, plays, judges and reports. A report may come with an error that carries the exit code.
func (a *app) play(ctx context.Context, spec *runSpec) (*session.Reports, error) {
	run := spec.resolved.Run
	if err := wholeTrajectories(&run, spec.resolved.Preset); err != nil {
		return nil, err
	}
	var epoch time.Time
	var target *asking
	st, err := a.openStage(ctx, spec, func() {
		epoch = time.Now()
		target = a.ask(ctx, &run, epoch)
	})
	if err != nil { // it goes before what the target may have said
		if target != nil {
			target.drop()
		}
		return nil, err
	}
	defer st.close()
	at, err := target.answer()
	if err != nil {
		return nil, err
	}
	defer closePlaces(at)
	if err := st.noEvaluation(&run); err != nil {
		return nil, err
	}
	plan, err := a.plan(spec, st, at, epoch)
	if err != nil {
		return nil, err
	}
	if err := a.measureContexts(ctx, spec, st, at, plan); err != nil {
		return nil, err
	}
	if err := a.measureLengths(ctx, spec, st, at, plan); err != nil {
		return nil, err
	}
	targets, free, err := a.sessionTargets(at, st, &plan.Sched, epoch)
	if err != nil {
		return nil, err
	}
	defer free()
	plan.Config.Engine = engines(at)
	tellEngines(a.Stderr, at, spec.quiet)
	shown := startProgress(a.Stderr, spec.quiet, run.Load.Duration, spec.gates)
	played, playErr := session.Play(ctx, plan, st.parts(run.Mixed(), &session.Parts{
		Targets: targets, MeterEvery: run.Target.MetricsEvery,
		Validators: st.validators, Scorers: st.scorers, Epoch: epoch, Abort: a.abort,
		WorkerCPU: st.host.CPU, Progress: &shown.counts, OnHead: a.tellHead(spec.quiet),
		OnPhase: func(p sample.Phase) {
			st.host.Measuring(p == sample.Measure)
			shown.Phase(p)
		},
	}))
	st.host.Measuring(false)
	shown.End()
	if played == nil {
		return nil, refused(playErr)
	}
	asks, err := evaluationsOf(ctx, &run, at, epoch)
	if err != nil {
		return nil, fail(exitInternal, errors.Join(playErr, err))
	}
	reports, err := a.judge(ctx, plan.Dir, st, run.Judging.Workers, spec.quiet, asks)
	if err != nil && a.aborted() {
		reports, err = session.Report(plan.Dir) // of what was played; `runner judge` can judge it later
	}
	if err != nil {
		return reports, fail(exitInternal, errors.Join(playErr, err))
	}
	if !spec.quiet {
		fmt.Fprintf(a.Stderr, "files: %s\n", plan.Dir)
	}
	return reports, a.interrupted(ctx, outcome(reports.Result, played, playErr))
}

// tellHead says what the run is bound to, before anything of the load is sent; nil where nothing is to be said.
func (a *app) tellHead(quiet bool) func(digest.SHA256) {
	if quiet {
		return nil
	}
	return func(head digest.SHA256) { fmt.Fprintf(a.Stderr, "head: sha256:%s\n", head) }
}

// prober asks as the run does, but always by chat completions: with its model, its parameters and the key of its limit on
// tokens. Where several workloads are mixed, their own parameters are left out.
func prober(client *endpoint.Client, c *sched.Config) session.EndpointProber {
	wire := c.Wire
	wire.API = chat.APIChat
	return session.EndpointProber{Client: client, Wire: wire, Params: []chat.Layer{
		{Name: "the workload", Params: c.Info.Params}, {Name: "the run", Params: c.Params}, {Name: "the run's override", Params: c.Override},
	}}
}

// aborted says whether a second signal came.
func (a *app) aborted() bool {
	select {
	case <-a.abort:
		return true
	default:
		return false
	}
}

// judge judges also after an interrupt: only a second signal ends it. asks is what scorers ask that evaluate; nil: nobody.
func (a *app) judge(ctx context.Context, dir string, st *stage, workers int, quiet bool, asks *session.Evaluations) (*session.Reports, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-a.abort:
			cancel()
		case <-done:
		}
	}()
	line := startJudging(a.Stderr, quiet)
	defer line.end()
	return session.Judge(ctx, dir, st.proofs(&session.Judges{
		Counters: st.counters, Validators: st.validators, Scorers: st.scorers, Evaluators: st.evaluators, Evaluations: asks, Workers: workers,
		OnProgress: line.show,
	}))
}

// judging shows how far the judges are, on a terminal only: it takes seconds, rarely more.
type judging struct {
	p    *progress
	last time.Time

	plain io.Writer // gets lines about evaluations, which may take hours; nil: it does not
}

func startJudging(out interface{ Write([]byte) (int, error) }, quiet bool) *judging {
	j := &judging{p: &progress{out: out, live: isTerminal(out)}}
	if !quiet && !j.p.live {
		j.plain = out
	}
	if quiet || !j.p.live {
		j.p = nil
	}
	return j
}

func (j *judging) show(n judge.Progress) {
	if n.Items {
		j.evaluation(n)
		return
	}
	if j.p == nil || time.Since(j.last) < 200*time.Millisecond {
		return
	}
	j.last = time.Now()
	j.p.show(fmt.Sprintf("judge: %s, %d of %d turns", n.Name, n.Done, n.Total))
}

func (j *judging) end() {
	if j.p != nil {
		fmt.Fprint(j.p.out, "\r\x1b[K")
	}
}
