package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"paceline/core/journal"
	"paceline/mlperf/viz"
)

func (a *app) submitVizCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "viz PACKAGE --out FILE",
		Short: "Write a package's data for the official visualizer",
		Long: "Reads every curve of a package, results/<system>/<model>/r<N>/, and writes the data file of mlperf-viz 2.0.0 with the\n" +
			"fields that its own reader leaves out, so that an agentic curve lands on the agentic axis. Put the file in the place of\n" +
			"cli-data.json of a site that mlperf-viz has built. The client that measured is named as the package names it. A file\n" +
			"that is there already is replaced.",
		Example: "  mlperf-viz my_org --build site\n  runner submit viz my_org --out site/cli-data.json\n  runner submit viz my_org --out - | jq .warnings",
		Args:    exactly("PACKAGE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return failHint(exitUsage, errors.New("--out is missing"), "--out FILE, or --out - for the standard output")
			}
			return a.submitViz(args[0], out)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "`file` to write; - is the standard output")
	return c
}

func (a *app) submitViz(dir, out string) error {
	b, err := packageBundle(dir)
	if err != nil {
		return fail(exitInput, err)
	}
	text, err := b.JSON()
	if err != nil {
		return err
	}
	for _, w := range b.Warnings {
		fmt.Fprintln(a.Stderr, "warning: "+w)
	}
	if out == "-" {
		_, err = a.Stdout.Write(text)
		return err
	}
	err = journal.WriteWhole(out, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return fail(filesCode(err), err)
	}
	fmt.Fprintf(a.Stdout, "%s: %s, %s\n", out, plural(len(b.Submissions), "curve"), plural(len(b.Runs), "point"))
	return nil
}

// packageBundle reads a package and nothing outside of it, wherever its links lead.
func packageBundle(dir string) (*viz.Bundle, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open package: %w", err)
	}
	defer func() { _ = root.Close() }()
	return viz.Build(root.FS(), filepath.Base(abs), "Paceline "+version)
}
