package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paceline/core/journal"
	"paceline/mlperf/plan"
	"paceline/mlperf/rules"
	"paceline/sweep"
)

// sweepPlanFlags are those of planning.
type sweepPlanFlags struct {
	run                        runFlags
	cmax, cmin, points, spares int
	override, rehearsal, probe bool
	users, out, between        string
	until                      untilFlags
	level3, scorer, model      string
	tps                        []string
	from                       []string
	passTurns                  int64
}

func (a *app) sweepPlanCommand() *cobra.Command {
	var f sweepPlanFlags
	// layered holds the flags of a run that a plan does not say itself; they share their values with the command's.
	layered := &cobra.Command{}
	c := &cobra.Command{
		Use:   "plan [RUNFILE|PLUGIN/PRESET]",
		Short: "Plan the points of a sweep",
		Long: "Writes a plan that a person may edit: with --cmax, the points of an MLPerf curve by its rules (regions, spares, which four points " +
			"carry the full accuracy run, least durations, passes); with --users, any list of users. A curve that cannot pass is refused " +
			"with what would mend it. How long it takes is guessed from --tps, --from or --probe.",
		Example: "  runner sweep plan mlperf/agentic/qwen3_6-35b-a3b --cmax 256 --cmin 8 --points 7 --spares 2 \\\n" +
			"      --between-points vllm --tps 210 --tps 64=6100 --out plan.yaml\n" +
			"  runner sweep plan bench.yaml --users 1,4,16 --out plan.yaml\n" +
			"  runner sweep plan bench.yaml --until \"ttft.p90<500ms && failure_rate<1%\" --out plan.yaml",
		Args: atMost("RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			arg := ""
			if len(args) == 1 {
				arg = args[0]
			}
			return a.sweepPlan(c.Context(), layered, &f, arg)
		},
	}
	fs := c.Flags()
	fs.IntVar(&f.cmax, "cmax", 0, "declared maximum concurrency of an MLPerf curve")
	fs.IntVar(&f.cmin, "cmin", 1, "lowest concurrency of the curve, 1 to 32")
	fs.BoolVar(&f.override, "cmin-override", false, "declare c_min_override: Ultra Low ends at C_min")
	fs.IntVar(&f.points, "points", rules.MinPoints, "points of the curve")
	fs.IntVar(&f.spares, "spares", 2, "further points that may be withdrawn: none can be added later")
	fs.StringVar(&f.level3, "level3", string(plan.Bands), "where the full accuracy run is made: bands (four points), every-point or none")
	fs.StringVar(&f.scorer, "level3-scorer", "", "the run's scorer `component` that makes the full accuracy run")
	fs.StringVar(&f.model, "curve-model", "", "`name` of the model by the rules (default: the end of the preset's name)")
	fs.BoolVar(&f.rehearsal, "rehearsal", false, "tell what the rules refuse and play all the same; no result is official")
	fs.StringVar(&f.users, "users", "", "in place of --cmax, for a sweep without rules: a `list` of users, e.g. 1,4,16")
	f.until.register(fs)
	fs.StringVar(&f.between, "between-points", "none", "what empties the prefix cache: none, vllm, sglang, \"cmd `COMMAND`\" or \"restart COMMAND\"")
	fs.StringArrayVar(&f.tps, "tps", nil, "measured output tokens per second, of one user or `USERS=N` of all; may be repeated")
	fs.StringArrayVar(&f.from, "from", nil, "take the rate from the run folder `DIR`; may be repeated")
	fs.BoolVar(&f.probe, "probe", false, "measure the rate of --target with one and with 16 users, a minute or so")
	fs.Int64Var(&f.passTurns, "pass-turns", 0, "turns of one pass over the workload (default: the official data set's, or those of --from)")
	fs.StringVar(&f.out, "out", "", "plan `FILE` to write (default: the standard output)")
	all := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.run.register(all)
	all.VisitAll(func(fl *pflag.Flag) {
		if fs.Lookup(fl.Name) == nil && !slices.Contains([]string{"json", "quiet", "repeats", "trajectories"}, fl.Name) {
			fs.AddFlag(fl)
			layered.Flags().AddFlag(fl)
		}
	})
	return c
}

func (a *app) sweepPlan(ctx context.Context, layered *cobra.Command, f *sweepPlanFlags, arg string) error {
	p := &sweep.Plan{Schema: sweep.PlanSchema, Set: f.run.set, Between: f.between, Axes: sweep.PlainAxes}
	var err error
	if p.Run, err = fromFolder(arg, f.out); err != nil {
		return fail(exitInput, err)
	}
	switch {
	case f.until.objectives != "" && f.cmax == 0 && f.users == "":
		err = f.until.plan(p)
	case f.until.objectives != "" || (f.cmax == 0) == (f.users == ""):
		return failHint(exitUsage, errors.New("give one of --cmax N for a curve by MLPerf's rules, --users LIST for any sweep, and --until OBJECTIVES for a search"),
			"see runner sweep plan --help")
	case f.users != "":
		err = f.plain(p)
	default:
		err = f.curve(p, arg)
	}
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	rules, err := rulesOf(p)
	if err == nil {
		err = rules.apply(p)
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	if err := a.expect(ctx, layered, f, arg, p, rules); err != nil {
		return err
	}
	return a.writePlan(p, f.out)
}

// fromFolder is a run file's path from the folder of the plan.
func fromFolder(arg, out string) (string, error) {
	if arg == "" || isPreset(arg) {
		return arg, nil
	}
	if _, err := os.Stat(arg); err != nil {
		return "", err
	}
	if filepath.IsAbs(arg) || out == "" {
		return arg, nil
	}
	from, err := filepath.Abs(filepath.Dir(out))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(arg)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// plain plans a list of users.
func (f *sweepPlanFlags) plain(p *sweep.Plan) error {
	for text := range strings.SplitSeq(f.users, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("--users %q: want numbers with commas between them, e.g. 1,4,16", f.users)
		}
		p.Points = append(p.Points, sweep.PlannedPoint{Concurrency: n})
	}
	return nil
}

// curve plans a curve by MLPerf's rules.
func (f *sweepPlanFlags) curve(p *sweep.Plan, arg string) error {
	s := plan.Settings{
		Model: f.model, CMin: f.cmin, Override: f.override, CMax: f.cmax, Rehearsal: f.rehearsal,
		Accuracy: plan.Accuracy{Level3: plan.Level3(f.level3), Scorer: f.scorer},
	}
	if s.Model == "" && isPreset(arg) {
		s.Model = path.Base(arg)
	}
	if s.Model == "" {
		return errors.New("--curve-model is missing: the rules are those of a model, e.g. --curve-model qwen3_6-35b-a3b")
	}
	points, err := plan.Make(s, f.points, f.spares)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(s)
	if err != nil {
		return err
	}
	p.Rules = &sweep.Rules{Name: plan.Name, Settings: settings}
	p.Axes = sweep.Axes{X: "mlperf.e2e_avg_interactivity", Y: "mlperf.system_tps"}
	for _, x := range points {
		p.Points = append(p.Points, sweep.PlannedPoint{Concurrency: x.Concurrency, Spare: x.Spare, Accuracy: x.Level3})
	}
	return nil
}

// writePlan writes a plan, whole and never over another one.
func (a *app) writePlan(p *sweep.Plan, out string) error {
	if out == "" {
		return p.WriteYAML(a.Stdout)
	}
	if _, err := os.Lstat(out); err == nil {
		return failHint(exitInput, fmt.Errorf("%s is there already", out), "a plan may have been edited, so none is written over")
	}
	var b bytes.Buffer
	if err := p.WriteYAML(&b); err != nil {
		return err
	}
	if err := journal.WriteWhole(out, func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
		return err
	}
	for _, x := range p.Points {
		fmt.Fprintln(a.Stdout, strings.TrimRight(fmt.Sprintf("%6d  %-18s%s", x.Concurrency, x.Region, marksOf(x)), " "))
	}
	if p.Expected != nil {
		fmt.Fprintf(a.Stdout, "about %.1f hours in all, by %s\n", float64(p.Expected.Seconds)/3600, p.Expected.Basis)
	}
	return nil
}

func marksOf(x sweep.PlannedPoint) string {
	text := ""
	if x.Expected > 0 {
		text += fmt.Sprintf("%8.2f h", float64(x.Expected)/3600)
	}
	if x.Repeats > 1 {
		text += fmt.Sprintf("  %d passes", x.Repeats)
	}
	if x.Accuracy {
		text += "  full accuracy run"
	}
	if x.Spare {
		text += "  spare"
	}
	return text
}
