package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"paceline/mlperf/pack"
)

func (a *app) submitDiffCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Tell in which figures, settings and files two packages differ",
		Long: "Compares two packages, or a package and the sweep or run that it was made of: points, figures (result_summary.json and\n" +
			"accuracy_results.json), settings (point.yaml, config.yaml, system_desc.json) and files. Exit code 7 where they differ.\n\n" + honesty,
		Example: "  runner submit diff package package-2\n  runner submit diff package results/sweep --json",
		Args:    exactly("A", "B"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := pack.Diff(args[0], args[1])
			if err != nil {
				return fail(exitInput, err)
			}
			if err := a.tellDiff(list, asJSON); err != nil || len(list) == 0 {
				return err
			}
			return fail(exitJudged, fmt.Errorf("they differ in %s", plural(len(list), "thing")))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) tellDiff(list []pack.Difference, asJSON bool) error {
	if asJSON {
		if list == nil {
			list = []pack.Difference{}
		}
		return writeJSON(a.Stdout, map[string]any{"equal": len(list) == 0, "differences": list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.Stdout, "no difference")
		return err
	}
	for _, kind := range []string{pack.KindPoint, pack.KindFigure, pack.KindSetting, pack.KindFile} {
		said := false
		for _, d := range list {
			if d.Kind != kind {
				continue
			}
			if !said {
				fmt.Fprintf(a.Stdout, "%ss\n", kind)
				said = true
			}
			fmt.Fprintf(a.Stdout, "  %s\n", d)
		}
	}
	return nil
}
