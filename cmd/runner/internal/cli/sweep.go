package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paceline/cmd/runner/internal/config"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/session"
	"paceline/sweep"
)

// sweepFlags are those of playing a sweep, beside what the run is.
type sweepFlags struct {
	run     runFlags
	resume  bool
	between string
	overlay []string
	until   untilFlags
}

func (a *app) sweepCommand() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep PLAN | sweep --until OBJECTIVES [RUNFILE|PLUGIN/PRESET]",
		Short: "Play a plan of several points, one after the other, and report the curve",
		Long: "Plays each point of a plan (`runner sweep plan` makes one) into a run folder of its own below --out, and writes sweep.json and " +
			"the sweep's report with its curve there (report.txt, report.json, curve.svg, curve.html). Before it starts it refuses what the plan's rules would refuse afterwards. Between two points " +
			"the target's prefix cache is emptied, and probes prove that. It goes on past a point that failed. After a crash, --resume " +
			"keeps the points that are done and plays the broken one again in a fresh folder.\n\n" +
			"Live, it shows time, failures and the mean output length against their bounds; scores and verdicts come when a point is judged.",
		Example: "  runner sweep plan bench.yaml --users 1,4,16 --out plan.yaml\n" +
			"  runner sweep plan.yaml --target http://127.0.0.1:8000/v1 --out results/curve\n" +
			"  runner sweep plan.yaml --target http://127.0.0.1:8000/v1 --out results/curve --resume\n" +
			"  runner sweep bench.yaml --target http://127.0.0.1:8000/v1 --duration 2m --until \"ttft.p90<500ms && tpot.p99<50ms\"",
		Args: atMost("PLAN, RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			p := newSweepPlay(a, c, &f)
			if err := p.begin(c.Context(), args); err != nil {
				return err
			}
			defer p.release()
			return p.play(c.Context())
		},
	}
	c.AddCommand(a.sweepPlanCommand())
	f.register(c.Flags())
	return c
}

func (f *sweepFlags) register(fs *pflag.FlagSet) {
	f.until.register(fs)
	f.run.register(fs)
	registerOverlay(fs, &f.overlay)
	fs.Lookup("out").Usage = "sweep `folder` to write: one run folder for each point (default results/sweep-<id>)"
	fs.Lookup("json").Usage = "write the sweep's report.json to the standard output"
	fs.BoolVar(&f.resume, "resume", false, "go on with the sweep in --out")
	fs.StringVar(&f.between, "between-points", "", "in place of the plan's: none, vllm, sglang, \"cmd `COMMAND`\" or \"restart COMMAND\"")
}

// sweepPlay is one sweep being played. It is the sweep's player.
type sweepPlay struct {
	app     *app
	command *cobra.Command
	flags   *sweepFlags
	plan    *sweep.Plan
	rules   sweepRules
	arg     string // run file or preset
	set     []string
	dir     string
	run     digest.SHA256
	state   *sweep.State
	earlier []*sweep.Earlier
	release func()

	playOne func(context.Context, *runSpec) (*session.Reports, error) // plays the run of a point, judges and reports
	emptier sweep.Emptier
}

// newSweepPlay plays over the network, on the real clock.
func newSweepPlay(a *app, command *cobra.Command, f *sweepFlags) *sweepPlay {
	s := &sweepPlay{app: a, command: command, flags: f, playOne: a.play}
	s.emptier = &emptier{s}
	return s
}

// begin opens a plan, or a search that needs none.
func (s *sweepPlay) begin(ctx context.Context, args []string) error {
	for _, name := range []string{"users", "repeats", "trajectories"} {
		if s.command.Flags().Changed(name) {
			return failHint(exitUsage, fmt.Errorf("--%s says what the plan says", name), "edit the plan, or make another one")
		}
	}
	switch {
	case s.flags.until.objectives != "":
		arg := ""
		if len(args) == 1 {
			arg = args[0]
		}
		return s.search(ctx, arg)
	case len(args) == 0:
		return failHint(exitUsage, errors.New("PLAN is missing"), "`runner sweep plan` makes one; --until OBJECTIVES needs none")
	}
	return s.open(ctx, args[0])
}

// open reads the plan, holds it and its run to the rules, and makes or takes up the sweep's folder. Nothing of the load is sent.
func (s *sweepPlay) open(ctx context.Context, path string) (err error) {
	if s.plan, s.rules, err = readPlan(path, s.flags.between); err != nil {
		return err
	}
	s.arg = s.plan.Run
	if s.arg != "" && !filepath.IsAbs(s.arg) && !isPreset(s.arg) {
		s.arg = filepath.Join(filepath.Dir(path), s.arg)
	}
	return s.ready(ctx)
}

// ready holds the run to the rules and makes or takes up the folder.
func (s *sweepPlay) ready(ctx context.Context) (err error) {
	if s.earlier, err = readEarlier(s.flags.overlay, s.plan.Axes); err != nil {
		return err
	}
	s.set = s.flags.run.set
	notes, err := s.guard(ctx)
	if err != nil {
		return err
	}
	if err := (&emptier{s}).canEmpty(ctx); err != nil {
		return err
	}
	s.propose(ctx)
	return s.folder(notes)
}

// readPlan reads a plan and holds it to its rules.
func readPlan(path, between string) (*sweep.Plan, sweepRules, error) {
	text, err := config.Document(path)
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("read plan: %w", err))
	}
	plan, err := sweep.ParsePlan(text)
	if err == nil && between != "" {
		plan.Between = between
		err = plan.Check()
	}
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("read plan %s: %w", path, err))
	}
	rules, err := rulesOf(plan)
	if err == nil {
		err = rules.apply(plan)
	}
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("plan %s: %w", path, err))
	}
	return plan, rules, nil
}

// folder makes the sweep's folder, or takes it up again.
func (s *sweepPlay) folder(notes []string) error {
	s.dir = s.command.Flags().Lookup("out").Value.String()
	if s.dir == "" {
		if s.flags.resume {
			return failHint(exitUsage, errors.New("--resume needs the sweep's folder"), "give --out DIR")
		}
		s.dir = filepath.Join("results", "sweep-"+runID(time.Now()))
	}
	if !s.flags.resume {
		if err := journal.Create(s.dir); err != nil {
			return failHint(exitInput, err, "--resume goes on with a sweep that was begun there")
		}
		s.state = sweep.NewState(build(), s.plan, s.run, notes)
	}
	var err error
	if s.flags.resume {
		if s.state, err = sweep.ReadState(s.dir); err != nil {
			return fail(filesCode(err), err)
		}
	}
	if s.release, err = sweep.Hold(s.dir); err != nil {
		return fail(exitInput, err)
	}
	if s.flags.resume {
		if err := s.state.Resume(s.dir, s.plan, s.run); err != nil {
			s.release()
			return fail(exitInput, err)
		}
	}
	return nil
}

// spec is the run of one point. Each is put together anew, so that nothing of the one before is left in it.
func (s *sweepPlay) spec(p *sweep.PlannedPoint, dir string) (*runSpec, error) {
	f := &s.flags.run
	f.set = slices.Concat(s.plan.Set, s.set, []string{fmt.Sprintf("load.users=%d", p.Concurrency)})
	if p.Repeats > 0 {
		f.set = append(f.set, fmt.Sprintf("load.repeats=%d", p.Repeats))
	}
	r, err := s.app.resolve(s.command, f, s.arg)
	if err != nil {
		return nil, err
	}
	if r.Run.Out = dir; !p.Accuracy {
		delete(r.Run.Scorers, s.rules.accuracyScorer())
		delete(r.Run.Judging.Inputs, s.rules.accuracyScorer())
	}
	return &runSpec{resolved: r, dir: folderOf(s.arg), lock: f.lock, locked: f.locked, dev: f.dev, quiet: f.quiet || f.json, policy: f.policy,
		plainHTTP: f.plainHTTP, gates: gatesOf(&r.Run, p)}, nil
}

// runDigest is of what all points have in common.
func runDigest(run config.Run) (digest.SHA256, error) {
	run.Load.Users, run.Load.Repeats, run.Scorers = 0, 0, nil
	text, err := json.Marshal(run)
	if err != nil {
		return digest.SHA256{}, fmt.Errorf("encode run: %w", err)
	}
	return digest.Of(text), nil
}

// play plays what is left and reports.
func (s *sweepPlay) play(ctx context.Context) error {
	quiet := s.flags.run.quiet || s.flags.run.json
	played := (&sweep.Sweep{Dir: s.dir, State: s.state, Player: s, Emptier: s.emptier, Told: func(i int, p *sweep.Point) {
		if !quiet {
			s.tell(i, p)
		}
	}}).Run(ctx)
	reports, err := sweep.WriteReport(s.dir, s.state, s.earlier...)
	if err != nil {
		return errors.Join(played, fail(filesCode(err), err))
	}
	if err := s.show(reports); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return failHint(exitInterrupted, fmt.Errorf("interrupted: %d of %d points are done", reports.Report.Summary.Done, reports.Report.Summary.Planned), resumeHint)
	case played != nil:
		return fail(exitInternal, played)
	}
	return sweepOutcome(reports.Report)
}

func (s *sweepPlay) show(r *sweep.Reports) error {
	if s.flags.run.json {
		_, err := s.app.Stdout.Write(r.JSON)
		return err
	}
	if s.flags.run.quiet {
		return nil
	}
	_, err := s.app.Stdout.Write(r.Text)
	fmt.Fprintf(s.app.Stderr, "files: %s\n", s.dir)
	return err
}

// tell writes one line for each step of a point.
func (s *sweepPlay) tell(i int, p *sweep.Point) {
	text := fmt.Sprintf("point %d of %d, %s: %s", i+1, len(s.state.Points), plural(p.Concurrency, "user"), p.State)
	switch {
	case p.State == sweep.Running && p.Cache != nil:
		text += "; cache before it: " + strings.ReplaceAll(string(p.Cache.State), "_", " ")
	case p.State == sweep.Done && p.Facts != nil && len(p.Facts.Failed) > 0:
		text += ", did not pass: " + strings.Join(p.Facts.Failed, ", ")
	case p.State == sweep.Done:
		text += ", passed"
	case p.Reason != "":
		text += ": " + p.Reason
	}
	fmt.Fprintln(s.app.Stderr, text)
}

const resumeHint = "--resume plays the others, and keeps those that are done"

// sweepOutcome is the exit code of a sweep: a point without a result comes before one that did not pass.
func sweepOutcome(r *sweep.Report) error {
	n := r.Summary
	switch {
	case n.Done < n.Planned:
		return failHint(exitFailed, fmt.Errorf("%d of %d points have no result (%d failed, %d incomplete, %d pending)", n.Planned-n.Done, n.Planned,
			n.Failed, n.Incomplete, n.Pending), resumeHint)
	case r.Found != nil && r.Found.Highest == 0:
		return fail(exitJudged, errors.New("no concurrency that was played keeps the objectives"))
	case n.Passed < n.Done:
		return fail(exitJudged, fmt.Errorf("%d of %d points did not pass", n.Done-n.Passed, n.Done))
	}
	return nil
}
