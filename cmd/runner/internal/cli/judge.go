package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/report"
	"paceline/core/session"
)

func (a *app) judgeCommand() *cobra.Command {
	var f judgeFlags
	var show output
	c := &cobra.Command{
		Use:   "judge DIR",
		Short: "Judge a run again",
		Long: "Runs a counter, validators and scorers over the journal of a run folder and writes the judgements and the report anew. Without\n" +
			"--score and --validate they are those of the run, and their plugins must have the digests of the run's lock. A scorer that\n" +
			"asks the target itself does so with --target only; without it, what it had concluded before stays. It goes on where an\n" +
			"earlier evaluation was interrupted.",
		Example: "  runner judge results/RUN\n" +
			"  runner judge results/RUN --validate std/mlperf/output-length \\\n" +
			"      --set 'validators.std/mlperf/output-length.min=344'\n" +
			"  runner judge results/RUN --target http://127.0.0.1:8000/v1 --allow-native",
		Args: exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			files, err := session.ReadFiles(args[0])
			if err != nil {
				return fail(exitInput, err)
			}
			run, err := f.resolve(files.Config.Config)
			if err != nil {
				return err
			}
			st, err := a.openJudges(c.Context(), args[0], files, run, f.changed(), f.allowNative)
			if err != nil {
				return err
			}
			defer st.close()
			asks, closeTarget, err := a.askAgain(c.Context(), &f.asked, &run, st)
			if err != nil {
				return err
			}
			defer closeTarget()
			reports, err := a.judge(c.Context(), args[0], st, run.Judging.Workers, show.quiet || show.json, asks)
			if err != nil {
				return fail(filesCode(err), err)
			}
			if err := show.write(a, reports); err != nil {
				return err
			}
			return a.interrupted(c.Context(), rejudged(reports.Result))
		},
	}
	show.register(c)
	c.Flags().StringArrayVar(&f.scorers, "score", nil, "scorer `component` in place of the run's; may be repeated")
	c.Flags().StringArrayVar(&f.validators, "validate", nil, "validator `component` in place of the run's; may be repeated")
	c.Flags().StringArrayVar(&f.counters, "count", nil, "counter `component` of tokens in place of the run's; the other judges stay")
	c.Flags().StringArrayVar(&f.inputs, "input", nil, "file of a judge, as the run was given it, `COMPONENT:name=FILE`; may be repeated")
	c.Flags().StringArrayVar(&f.plugins, "plugin", nil, "plugin file, `name=FILE.wasm`; may be repeated")
	c.Flags().BoolVar(&f.allowNative, "allow-native", false, "let native plugins run that the run's lock grants that")
	f.asked.register(c.Flags())
	c.Flags().StringArrayVar(&f.set, "set", nil, "`key=value` under validators, scorers, counters or judging")
	return c
}

// rejudged is the exit code of a judging: that the run itself failed comes before what judges say. Whether its workload is
// deterministic was found when it was played, and stays.
func rejudged(r *report.Result) error {
	if r.Status == report.Failed {
		return fail(exitFailed, fmt.Errorf("the run failed: %s", r.Reason))
	}
	if err := pluginFailed(r); err != nil {
		return err
	}
	return judged(r)
}

// judgeFlags change what a run is judged by.
type judgeFlags struct {
	scorers, validators, counters, plugins, inputs, set []string

	allowNative bool
	asked       askedFlags
}

func (f *judgeFlags) changed() bool {
	return len(f.scorers)+len(f.validators)+len(f.counters)+len(f.plugins)+len(f.set) > 0
}

// resolve takes judges and their configuration from the run's own run file, with the flags on top.
func (f *judgeFlags) resolve(recorded json.RawMessage) (config.Run, error) {
	run := config.Defaults()
	if err := json.Unmarshal(recorded, &run); err != nil {
		return run, fail(exitInput, fmt.Errorf("read configuration of the run: %w", err))
	}
	if len(f.scorers)+len(f.validators) > 0 {
		run.Scorers, run.Validators = map[string]map[string]any{}, map[string]map[string]any{}
	}
	flags := runFlags{scorers: f.scorers, validators: f.validators, counters: f.counters, plugins: f.plugins, set: f.set}
	layers, err := flags.layers(&cobra.Command{})
	if err != nil {
		return run, err
	}
	files, err := judgeInputs(f.inputs)
	if err != nil {
		return run, err
	}
	layers = append(layers, files)
	over, err := config.Resolve(layers...)
	if err != nil {
		return run, fail(exitUsage, err)
	}
	merge(run.Scorers, over.Run.Scorers)
	merge(run.Validators, over.Run.Validators)
	if err := f.recount(&run, over); err != nil {
		return run, err
	}
	run.Judging.Inputs = over.Run.Judging.Inputs
	check := config.Resolved{Run: run, Origins: over.Origins}
	if err := check.CheckJudging(); err != nil {
		return run, fail(exitUsage, err)
	}
	if run.Plugins == nil {
		run.Plugins = map[string]string{}
	}
	for name, path := range over.Run.Plugins {
		run.Plugins[name] = path
	}
	if over.Run.Judging.Workers > 1 {
		run.Judging.Workers = over.Run.Judging.Workers
	}
	return run, nil
}

// merge sets the keys of from over those of into.
func merge(into, from map[string]map[string]any) {
	for name, keys := range from {
		if into[name] == nil {
			into[name] = map[string]any{}
		}
		for k, v := range keys {
			into[name][k] = v
		}
	}
}
