package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"paceline/core/journal"
)

func (a *app) journalCommand() *cobra.Command {
	c := &cobra.Command{Use: "journal", Short: "Look into the journal of a run", RunE: group}
	c.AddCommand(&cobra.Command{
		Use:   "cat DIR",
		Short: "Write a run's records as plain JSON Lines",
		Long: "Writes every record of every segment, in order, one JSON object a line; schemas/journal/v1 describes them.\n" +
			"What a crash left damaged is skipped, told at the end, and gives exit code 3.",
		Example: "  runner journal cat results/RUN | jq 'select(.rec == \"sample\") | .outcome'",
		Args:    exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			err := journal.Cat(a.Stdout, args[0])
			if errors.Is(err, syscall.EPIPE) {
				return nil // the reader has seen enough
			}
			if err != nil {
				return failHint(exitInput, fmt.Errorf("read journal: %w", err), "a run folder holds "+journal.RunFile+" and journal-*.jsonl.zst")
			}
			return nil
		},
	})
	c.AddCommand(a.timelineCommand())
	return c
}
