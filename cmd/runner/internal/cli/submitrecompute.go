package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/core/session"
	"paceline/core/verdict"
	"paceline/mlperf/recompute"
	"paceline/plugins/wasmworker"
)

func (a *app) submitRecomputeCommand() *cobra.Command {
	var inputs []string
	var arm64 string
	var asJSON, quiet bool
	c := &cobra.Command{
		Use:   "recompute BUNDLE",
		Short: "Compute a package again and compare bit for bit",
		Long: "Holds every file of a package to its manifest, verifies the journals, and computes metrics, reports and everything below\n" +
			"results/ again. With the data set it also plans every trajectory again, whose digests must be the journal's, and judges again\n" +
			"with the pinned sandboxed plugins; native ones are shown as recorded. Exit code 7 where anything differs, with the first\n" +
			"difference of each file: file, record, field.\n\n" + honesty,
		Example: "  runner submit recompute package --input dataset=agentic.jsonl",
		Args:    exactly("BUNDLE"),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := recompute.Open(args[0])
			if err != nil {
				return fail(exitInput, err)
			}
			again := &recomputing{app: a, bundle: b, inputs: inputs, quiet: quiet || asJSON}
			if again.worker, err = workerOnARM(arm64); err != nil {
				return err
			}
			r, err := b.Run(c.Context(), again.judge)
			if err != nil {
				if _, told := errors.AsType[*coded](err); told {
					return err
				}
				return fail(filesCode(err), err)
			}
			return a.tellRecomputed(r, asJSON)
		},
	}
	c.Flags().StringArrayVar(&inputs, "input", nil, "input of the workload, `name=FILE`, or of a judge COMPONENT:name=FILE; may be repeated")
	c.Flags().StringVar(&arm64, "arm64", "", "a runner built for linux/arm64, `FILE`: plan and judge in its workers, under qemu-aarch64")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress")
	return c
}

// tellRecomputed writes what came of it; the exit code says whether all of it is equal.
func (a *app) tellRecomputed(r *recompute.Report, asJSON bool) error {
	if asJSON {
		if err := writeJSON(a.Stdout, r); err != nil {
			return err
		}
	} else {
		for _, p := range r.Points {
			fmt.Fprintf(a.Stdout, "r%d head: sha256:%s; trajectories planned again: %d\n", p.Concurrency, p.Head, p.Planned)
		}
		for _, f := range r.Files {
			fmt.Fprintln(a.Stdout, f)
		}
	}
	n := 0
	for _, f := range r.Files {
		if f.State == recompute.Differs || f.State == recompute.Missing {
			n++
		}
	}
	if n > 0 {
		return fail(exitJudged, fmt.Errorf("the package differs from what it was made of, in %s", plural(n, "place")))
	}
	return nil
}

// recomputing judges the runs of a package again.
type recomputing struct {
	app    *app
	bundle *recompute.Bundle
	inputs []string
	worker []string // command of the plugins' workers; empty: this program's
	quiet  bool
}

// workerOnARM is the command of a worker of another runner under emulation; empty where none is given. The program itself may
// be emulated, too.
func workerOnARM(runner string) ([]string, error) {
	if runner == "" {
		return nil, nil
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err == nil {
		runner, err = filepath.Abs(runner)
	}
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("--arm64: %w", err))
	}
	return []string{emulator, runner, wasmworker.Command}, nil
}

// judge implements recompute.Judge. Without the workload's inputs nothing is planned or judged again.
func (r *recomputing) judge(ctx context.Context, dir string, files *session.Files, recorded []verdict.Judgement) (*recompute.Judged, error) {
	if len(r.inputs) == 0 && len(files.Config.Inputs) > 0 {
		return &recompute.Judged{List: recorded}, nil
	}
	run, err := r.resolve(files, recorded)
	if err != nil {
		return nil, err
	}
	if !r.quiet {
		fmt.Fprintf(r.app.Stderr, "recompute: %s\n", dir)
	}
	st, err := r.app.openAgain(ctx, files, run, r.worker)
	if err != nil {
		return nil, err
	}
	defer st.close()
	planners := map[string]session.Planner{}
	for _, w := range st.workloads {
		planners[w.Key] = w.wire
	}
	planned, err := files.PlanAgain(ctx, planners)
	if err != nil {
		return nil, err
	}
	judges := st.proofs(&session.Judges{Counters: st.counters, Validators: st.validators, Scorers: st.scorers, Workers: run.Judging.Workers})
	list, err := files.JudgeAgain(ctx, judges, recorded)
	return &recompute.Judged{List: list, Anew: anew(run, st), Planned: planned}, err
}

// anew are the components that were judged again.
func anew(run config.Run, st *stage) map[string]bool {
	all := map[string]bool{}
	for _, name := range judgeNames(&run) {
		all[name] = true
	}
	for _, w := range st.workloads {
		all[w.Key] = true
	}
	return all
}

// resolve makes the run's own run file again, with the inputs that are given now, the plugins that lie in the package, and only
// those judges that may be asked again.
func (r *recomputing) resolve(files *session.Files, recorded []verdict.Judgement) (config.Run, error) {
	run := config.Defaults()
	if err := json.Unmarshal(files.Config.Config, &run); err != nil {
		return run, fail(exitInput, fmt.Errorf("read configuration of the run: %w", err))
	}
	again := map[string]bool{}
	for _, j := range recorded {
		again[j.Name] = j.Deterministic
	}
	for _, judges := range []map[string]map[string]any{run.Validators, run.Scorers, run.Counters} {
		maps.DeleteFunc(judges, func(name string, _ map[string]any) bool { return !again[name] })
	}
	if run.Plugins == nil {
		run.Plugins = map[string]string{}
	}
	for _, p := range files.Config.Plugins {
		if file := r.bundle.Plugin(p.SHA256); file != "" {
			run.Plugins[p.Name] = file
		}
	}
	return run, r.give(&run)
}

// give puts the inputs into the run.
func (r *recomputing) give(run *config.Run) error {
	run.Workload.Inputs, run.Judging.Inputs = map[string]string{}, map[string]map[string]string{}
	for _, pair := range r.inputs {
		name, path, ok := strings.Cut(pair, "=")
		if !ok || name == "" || path == "" {
			return fail(exitUsage, fmt.Errorf("--input %q: want name=FILE", pair))
		}
		of, input, told := strings.Cut(name, ":")
		switch {
		case !told:
			run.Workload.Inputs[name] = path
		case run.Workloads[of].Weight != nil:
			m := run.Workloads[of]
			if m.Inputs == nil {
				m.Inputs = map[string]string{}
			}
			m.Inputs[input] = path
			run.Workloads[of] = m
		case slices.Contains(judgeNames(run), of):
			if run.Judging.Inputs[of] == nil {
				run.Judging.Inputs[of] = map[string]string{}
			}
			run.Judging.Inputs[of][input] = path
		}
	}
	return nil
}

// openAgain opens the workload and the judges of a finished run. What they are made of must have the digests that run.json
// tells; the package's own lock is not asked, since its plugins lie elsewhere here.
func (a *app) openAgain(ctx context.Context, files *session.Files, run config.Run, worker []string) (_ *stage, err error) {
	b := &builder{app: a, run: &run, quiet: true, judges: true, worker: worker, pinning: pinning{silent: true}}
	defer func() {
		if err != nil {
			b.stage.close()
		}
	}()
	if err := b.again(files); err != nil {
		return nil, err
	}
	if err := b.load(ctx, append(workloadNames(&run), judgeNames(&run)...), nil); err != nil {
		return nil, err
	}
	if err := errors.Join(b.openInputs(), b.openJudgeInputs()); err != nil {
		return nil, err
	}
	if err := b.enforce(); err != nil {
		return nil, err
	}
	if err := asRecorded(&b.stage, files.Config); err != nil {
		return nil, fail(exitInput, err)
	}
	if err := b.describe(ctx); err != nil {
		return nil, err
	}
	if err := b.configure(true); err != nil {
		return nil, err
	}
	return &b.stage, b.open(ctx, append(b.workloadOpeners(), b.judgeOpeners()...)...)
}

// asRecorded holds plugins and inputs to the digests that a run was made with.
func asRecorded(st *stage, c *journal.RunConfig) error {
	var errs []error
	for _, p := range st.plugins {
		for _, had := range c.Plugins {
			if had.Name == p.Name && had.SHA256 != p.SHA256 {
				errs = append(errs, fmt.Errorf("plugin %s has sha256 %s here, the run had %s: its bytes are neither in the package nor in this runner", p.Name, p.SHA256, had.SHA256))
			}
		}
	}
	for _, in := range st.inputs {
		for _, had := range c.Inputs {
			if had.Workload == in.Workload && had.Name == in.Name && had.SHA256 != in.SHA256 {
				errs = append(errs, fmt.Errorf("input %s: %s has sha256 %s, the run had %s", in.Name, in.Path, in.SHA256, had.SHA256))
			}
		}
	}
	return errors.Join(errs...)
}
