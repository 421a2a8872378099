package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"paceline/mlperf/describe"
)

// honesty stands in the help of everything that makes or reads submissions.
const honesty = "Official results of the scenario CoP must come from the unmodified reference client; Paceline's exports name Paceline as their client."

func (a *app) submitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "submit",
		Short: "Make, check, compare and recompute packages for MLPerf Endpoints",
		Long: "Packages of MLPerf Endpoints, Agentic Inference: made of a sweep's runs or of runs of the reference client, checked, compared, and\n" +
			"computed again by anyone who has the data set.\n\n" + honesty,
		Args: cobra.ArbitraryArgs, // so that group tells what is wrong with them
		RunE: group,
	}
	c.AddCommand(a.submitTemplateCommand(), a.submitPackCommand(), a.submitCheckCommand(), a.submitVizCommand(), a.submitDiffCommand(), a.submitRecomputeCommand())
	return c
}

func (a *app) submitTemplateCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "template",
		Short: "Write the file in which a submitter describes the system",
		Long: "Writes the template of the file that `submit pack --system` reads, with every field explained. What `doctor --system` told of\n" +
			"a machine goes below it: submit pack --system facts.yaml --system system.yaml.",
		Example: "  runner submit template --out system.yaml",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				_, err := a.Stdout.Write(describe.Template)
				return err
			}
			return writeNew(out, describe.Template)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`FILE` to write; it must not be there (default: the standard output)")
	return c
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fail(exitInput, err)
	}
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}

// lines writes a list, one a line, each behind the same words.
func lines(w io.Writer, before string, list []string) {
	for _, text := range list {
		fmt.Fprintf(w, "%s%s\n", before, text)
	}
}
