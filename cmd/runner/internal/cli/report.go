package cli

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"paceline/core/report"
	"paceline/core/session"
	"paceline/sweep"
)

func (a *app) reportCommand() *cobra.Command {
	var show output
	var overlay []string
	var page string
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Compute the report of a run again from its files",
		Long: "Reads the journal and the judgements of a run folder, writes report.json and report.txt there, and shows the\n" +
			"report. It loads no plugin; the same files give the same bytes. A run that was cut short gives a report of what\n" +
			"was recorded, marked incomplete. Of a sweep folder it computes the reports of the points that are done, and the sweep's,\n" +
			"and draws its curve (curve.svg, and curve.html, which works offline), with earlier sweeps behind it by --overlay.",
		Example: "  runner report results/RUN\n  runner report results/RUN --json | jq .metrics.turns.ttft_ms\n" +
			"  runner report results/curve --overlay results/curve-of-last-week\n" +
			"  runner report results/RUN --html run.html --quiet",
		Args: exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if sweep.Is(args[0]) && page != "" {
				return fail(exitUsage, fmt.Errorf("--html is for a run, and %s is a sweep, which has curve.html", args[0]))
			}
			if sweep.Is(args[0]) {
				return a.reportSweep(args[0], &show, overlay)
			}
			if len(overlay) > 0 {
				return fail(exitUsage, fmt.Errorf("--overlay is for the curve of a sweep, and %s is a run", args[0]))
			}
			r, err := session.Report(args[0])
			if err != nil {
				return fail(filesCode(err), err)
			}
			if err := writeReportPage(page, r.Result); err != nil {
				return err
			}
			return show.write(a, r)
		},
	}
	show.register(c)
	c.Flags().StringVar(&page, "html", "", "also draw the main figures, with those of targets, tenants and groups, as one page in this new `FILE`")
	registerOverlay(c.Flags(), &overlay)
	return c
}

// writeReportPage draws a report; an empty path wants none.
func writeReportPage(path string, r *report.Result) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.WriteHTML(&b, r); err != nil {
		return err
	}
	return writeNew(path, b.Bytes())
}

// reportSweep computes the reports of a sweep's points again, each from its own run folder, and the sweep's from those. Where a point
// was judged again since, sweep.json gets the digest of its new report.
func (a *app) reportSweep(dir string, show *output, overlay []string) error {
	release, err := sweep.Hold(dir)
	if err != nil {
		return fail(exitInput, err)
	}
	defer release()
	state, err := sweep.ReadState(dir)
	if err != nil {
		return fail(filesCode(err), err)
	}
	earlier, err := readEarlier(overlay, state.Plan.Axes)
	if err != nil {
		return err
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
	r, err := sweep.WriteReport(dir, state, earlier...)
	if err != nil {
		return fail(filesCode(err), err)
	}
	return show.write(a, &session.Reports{JSON: r.JSON, Text: r.Text})
}

// registerOverlay adds the flag of earlier sweeps.
func registerOverlay(fs *pflag.FlagSet, overlay *[]string) {
	fs.StringArrayVar(overlay, "overlay", nil, "draw the earlier sweep of this `folder` behind the curve; up to four")
}

// maxOverlays is how many the drawing can tell apart.
const maxOverlays = 4

// readEarlier reads the sweeps that are to lie behind a curve of those axes.
func readEarlier(dirs []string, axes sweep.Axes) ([]*sweep.Earlier, error) {
	if len(dirs) > maxOverlays {
		return nil, fail(exitUsage, fmt.Errorf("--overlay: there are %d; want at most %d", len(dirs), maxOverlays))
	}
	var list []*sweep.Earlier
	for _, dir := range dirs {
		e, err := sweep.ReadEarlier(dir)
		if err != nil {
			return nil, failHint(exitInput, err, "--overlay takes the folder of a sweep with its report.json")
		}
		if e.Report.Axes != axes {
			return nil, fail(exitInput, fmt.Errorf("--overlay %s: its axes are %s and %s, and this curve has %s and %s", dir, e.Report.Axes.X, e.Report.Axes.Y, axes.X, axes.Y))
		}
		list = append(list, e)
	}
	return list, nil
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
