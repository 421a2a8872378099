package cli

import (
	"github.com/spf13/cobra"

	"paceline/core/session"
)

func (a *app) reportCommand() *cobra.Command {
	var show output
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Compute the report of a run again from its files",
		Long: "Reads the journal and the judgements of a run folder, writes report.json and report.txt there, and shows the\n" +
			"report. It loads no plugin; the same files give the same bytes. A run that was cut short gives a report of what\n" +
			"was recorded, marked incomplete.",
		Example: "  runner report results/RUN\n  runner report results/RUN --json | jq .metrics.turns.ttft_ms",
		Args:    exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
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
