package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	pluginbuild "paceline/plugins/build"
)

func (a *app) pluginBuildCommand() *cobra.Command {
	var o pluginbuild.Options
	var lang string
	var asJSON bool
	c := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build a plugin's project into one file and show its digest",
		Long: "Builds the project in DIR (default: here) with its language's own compiler and pinned flags, puts manifest.json into the\n" +
			"module, checks exports, imports and size, and writes DIR/NAME.wasm. The same sources give the same digest on every\n" +
			"machine. A Python project becomes an executable NAME.pyz with its manifest beside it.\n\nLanguages: " + pluginbuild.LangNames() + ".",
		Example: "  runner plugin build hello\n  runner plugin build --lang rust -o /tmp/hello.wasm hello",
		Args:    atMost("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Dir = "."
			if len(args) > 0 {
				o.Dir = args[0]
			}
			var err error
			if o.Lang, err = pluginbuild.ParseLang(lang); err != nil {
				return fail(exitUsage, err)
			}
			return a.pluginBuild(c.Context(), o, asJSON)
		},
	}
	fl := c.Flags()
	fl.StringVar(&lang, "lang", string(pluginbuild.Auto), "`language` of the project; auto tells it by its files")
	fl.StringVarP(&o.Out, "out", "o", "", "`FILE` to write (default DIR/NAME.wasm)")
	fl.BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) pluginBuild(ctx context.Context, o pluginbuild.Options, asJSON bool) error {
	r, err := pluginbuild.Build(ctx, o)
	if err != nil {
		return fail(exitInput, fmt.Errorf("build %s: %w", o.Dir, err))
	}
	if asJSON {
		return writeJSON(a.Stdout, r)
	}
	_, err = fmt.Fprintf(a.Stdout, "plugin   %s %s (%s)\nfile     %s\nsize     %d bytes\nsha256   %s\n", r.Name, r.Version, r.Language, r.File, r.Size, r.SHA256)
	return err
}
