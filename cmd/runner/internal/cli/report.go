package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"paceline/core/session"
	"paceline/sweep"
)

func (a *app) reportCommand() *cobra.Command {
	var show output
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Compute the report of a run again from its files",
		Long: "Reads the journal and the judgements of a run folder, writes report.json and report.txt there, and shows the\n" +
			"report. It loads no plugin; the same files give the same bytes. A run that was cut short gives a report of what\n" +
			"was recorded, marked incomplete. Of a sweep folder it computes the reports of the points that are done, and the sweep's.",
		Example: "  runner report results/RUN\n  runner report results/RUN --json | jq .metrics.turns.ttft_ms",
		Args:    exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if sweep.Is(args[0]) {
				return a.reportSweep(args[0], &show)
			}
			r, err := session.Report(args[0])
			if err != nil {
				return fail(filesCode(err), err)
			}
			return show.write(a, r)
		},
	}
	show.register(c)
	return c
}

// reportSweep computes the reports of a sweep's points again, each from its own run folder, and the sweep's from those. Where a point
// was judged again since, sweep.json gets the digest of its new report.
func (a *app) reportSweep(dir string, show *output) error {
	release, err := sweep.Hold(dir)
	if err != nil {
		return fail(exitInput, err)
	}
	defer release()
	state, err := sweep.ReadState(dir)
	if err != nil {
		return fail(filesCode(err), err)
	}
	for i := range state.Points {
		p := &state.Points[i]
		if p.State != sweep.Done {
			continue
		}
		r, err := session.Report(filepath.Join(dir, p.Folder))
		if err != nil {
			return fail(filesCode(err), err)
		}
		if state.Recompute(i, r.Result, r.JSON) {
			fmt.Fprintf(a.Stderr, "%s: its report has changed since the point was done\n", p.Folder)
		}
	}
	if err := state.Write(dir); err != nil {
		return fail(filesCode(err), err)
	}
	r, err := sweep.WriteReport(dir, state)
	if err != nil {
		return fail(filesCode(err), err)
	}
	return show.write(a, &session.Reports{JSON: r.JSON, Text: r.Text})
}

// output says how a report is shown.
type output struct{ quiet, json bool }

func (o *output) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.quiet, "quiet", false, "write the files only")
	c.Flags().BoolVar(&o.json, "json", false, "write report.json to the standard output")
}

func (o *output) write(a *app, r *session.Reports) error {
	var err error
	switch {
	case o.json:
		_, err = a.Stdout.Write(r.JSON)
	case !o.quiet:
		_, err = a.Stdout.Write(r.Text)
	}
	return err
}
