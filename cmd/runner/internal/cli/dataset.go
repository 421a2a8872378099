package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/mlperf/profile"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
)

func (a *app) datasetCommand() *cobra.Command {
	c := &cobra.Command{Use: "dataset", Short: "Check, show and make data sets", RunE: group}
	c.AddCommand(a.checkCommand(), a.showDatasetCommand(), a.synthCommand())
	return c
}

// datasetReport is what a check found.
type datasetReport struct {
	File         string       `json:"file"`
	Workload     string       `json:"workload"`
	SHA256       string       `json:"sha256"`
	Size         int64        `json:"size"`
	OK           bool         `json:"ok"`
	Trajectories uint64       `json:"trajectories"`
	Losses       []string     `json:"losses"`
	Faults       []wire.Fault `json:"faults"`
	MoreFaults   uint64       `json:"more_faults"` // beyond the limit

	Profile *profile.Report `json:"profile,omitempty"` // nil: none was asked for
}

func (a *app) checkCommand() *cobra.Command {
	var workload, against string
	var set []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check FILE --workload NAME",
		Short: "Check a data set and name every fault with its line",
		Example: "  runner dataset check agentic.jsonl --workload std/mlperf/agentic\n" +
			"  runner dataset check agentic.jsonl --workload std/mlperf/agentic \\\n      --profile mlperf-613",
		Args: exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if workload == "" {
				return failHint(exitUsage, errors.New("--workload is missing"), "e.g. --workload std/mlperf/agentic; `runner plugin list` shows what there is")
			}
			if err := checkProfile(against, workload); err != nil {
				return err
			}
			r, err := a.checkDataset(c.Context(), args[0], workload, set)
			if r == nil {
				return err
			}
			if err == nil && against != "" {
				if r.Profile, err = profiled(args[0], r.SHA256); err != nil {
					return err
				}
			}
			return a.showChecked(r, err, asJSON)
		},
	}
	c.Flags().StringVar(&workload, "workload", "", "`component` that reads the file, e.g. std/mlperf/agentic")
	c.Flags().StringVar(&against, "profile", "", "hold it against what is known of a data set: "+profile.Name)
	c.Flags().StringArrayVar(&set, "set", nil, "`key=value` of the component's configuration; may be repeated")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// showChecked writes what a check found; err are the faults, where there are some.
func (a *app) showChecked(r *datasetReport, err error, asJSON bool) error {
	switch {
	case asJSON:
		if werr := writeJSON(a.Stdout, r); werr != nil {
			return werr
		}
		if err != nil {
			return fail(exitInput, errors.New("")) // the faults are in the JSON
		}
	case err != nil:
		return err
	default:
		fmt.Fprintf(a.Stdout, "%s: ok, %d trajectories, %d bytes, sha256 %s\n", r.File, r.Trajectories, r.Size, r.SHA256)
		for _, loss := range r.Losses {
			fmt.Fprintf(a.Stdout, "not carried over: %s\n", loss)
		}
	}
	if r.Profile == nil {
		return nil
	}
	if !asJSON {
		a.showProfile(r.Profile)
	}
	return fits(r.Profile)
}

// checkDataset opens the workload with the file as its only input. Faults come both in the report and as the error.
func (a *app) checkDataset(ctx context.Context, file, workload string, set []string) (*datasetReport, error) {
	settings, err := config.Values("--set", set)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	run := config.Defaults()
	run.Workload = config.Workload{Name: workload, Config: settings, Inputs: map[string]string{}}
	b := &builder{app: a, run: &run, quiet: true}
	defer func() { b.stage.close() }()
	if err := b.load(ctx, []string{workload}, nil); err != nil {
		return nil, err
	}
	if run.Workload.Inputs, err = b.onlyInput(file); err != nil {
		return nil, err
	}
	if err := b.openInputs(); err != nil {
		return nil, err
	}
	if err := b.enforce(); err != nil {
		return nil, err
	}
	if err := b.describe(ctx); err != nil {
		return nil, err
	}
	if err := b.configure(true); err != nil {
		return nil, err
	}
	in := b.inputs[workload][0]
	r := &datasetReport{File: file, Workload: workload, SHA256: in.SHA256.String(), Size: in.Size, Faults: []wire.Fault{}, Losses: []string{}}
	err = b.open(ctx, b.workloadOpeners()...)
	if list, ok := errors.AsType[*faultList](err); ok {
		r.Faults, r.MoreFaults = list.faults.Faults, list.faults.Dropped
		return r, err
	}
	if err != nil {
		return nil, err
	}
	info := b.stage.workloads[0].info
	r.OK, r.Trajectories = true, info.Trajectories
	r.Losses = append(r.Losses, info.Losses...)
	return r, nil
}

// onlyInput names the file after the workload's one input.
func (b *builder) onlyInput(file string) (map[string]string, error) {
	plugin, component, err := splitName(b.run.Workload.Name, b.run.Plugins)
	if err != nil {
		return nil, fail(exitUsage, err)
	}
	m := b.modules[plugin].loaded.Manifest()
	c, ok := m.Component(component)
	if !ok || c.Kind != lock.KindWorkload {
		return nil, failHint(exitUsage, fmt.Errorf("plugin %s has no workload %s", plugin, component), "it has: "+componentsOf(m))
	}
	if len(c.Inputs) != 1 {
		return nil, fail(exitUsage, fmt.Errorf("%s has %s (%s); dataset check takes one file", b.run.Workload.Name, plural(len(c.Inputs), "input"), strings.Join(c.Inputs, ", ")))
	}
	return map[string]string{c.Inputs[0]: file}, nil
}
