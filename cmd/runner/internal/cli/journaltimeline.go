package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"paceline/core/journal"
	"paceline/core/report"
)

func (a *app) timelineCommand() *cobra.Command {
	var want report.Wanted
	var repeat uint32
	var show timelineForm
	c := &cobra.Command{
		Use:   "timeline DIR",
		Short: "Draw the turns of a conversation over time",
		Long: "Draws when each turn of a conversation was sent, waited for its first token and was answered, with its branches, what each\n" +
			"fan-in waited for, and the critical path. Without --trajectory it is the conversation that lasted longest, of those that\n" +
			"branch if any does. docs/branches.md says what the marks mean.",
		Example: "  runner journal timeline results/RUN\n" +
			"  runner journal timeline results/RUN --trajectory issue-17 --repeat 0 --json | jq '.[0].fans'",
		Args: exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("repeat") {
				want.Repeat = &repeat
			}
			err := a.timeline(args[0], want, show)
			if errors.Is(err, syscall.EPIPE) {
				return nil // the reader has seen enough
			}
			return err
		},
	}
	c.Flags().StringVar(&want.Trajectory, "trajectory", "", "`id` of the trajectory whose conversations are drawn")
	c.Flags().StringVar(&want.Workload, "workload", "", "`name` of its workload, in a run of several")
	c.Flags().Uint32Var(&repeat, "repeat", 0, "only of this `pass`, counted from 0")
	c.Flags().BoolVar(&show.json, "json", false, "write JSON")
	c.Flags().StringVar(&show.page, "html", "", "new `FILE` for a page with the drawing")
	c.MarkFlagsMutuallyExclusive("json", "html")
	return c
}

// timelineForm is how timelines are shown: as JSON, as a page, or else as text.
type timelineForm struct {
	json bool
	page string
}

func (a *app) timeline(dir string, want report.Wanted, show timelineForm) error {
	run, err := journal.Read(dir)
	if err != nil {
		return failHint(exitInput, fmt.Errorf("read journal: %w", err), "a run folder holds "+journal.RunFile+" and journal-*.jsonl.zst")
	}
	list := report.Timelines(run, want)
	if len(list) == 0 {
		return failHint(exitInput, fmt.Errorf("%s: no conversation of trajectory %q was started", dir, want.Trajectory),
			"`runner journal cat "+dir+"` lists them: records of kind start")
	}
	switch {
	case show.json:
		return json.NewEncoder(a.Stdout).Encode(list)
	case show.page != "":
		return writePage(show.page, list)
	}
	for i := range list {
		if i > 0 {
			if _, err := io.WriteString(a.Stdout, "\n"); err != nil {
				return fmt.Errorf("write timeline: %w", err)
			}
		}
		if err := report.WriteTimeline(a.Stdout, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// writePage writes a page to a file that must not be there.
func writePage(file string, list []report.Timeline) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fail(exitUsage, fmt.Errorf("write timeline: %w", err))
	}
	if err := errors.Join(report.WriteTimelineHTML(f, list), f.Close()); err != nil {
		return fail(exitInternal, fmt.Errorf("write timeline: %w", err))
	}
	return nil
}
