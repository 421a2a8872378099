package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	pluginbuild "paceline/plugins/build"
	"paceline/plugins/scaffold"
)

func (a *app) pluginNewCommand() *cobra.Command {
	var o scaffold.Options
	var lang string
	var asJSON bool
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the project of a new plugin",
		Long: "Writes a small plugin that works, with its test, manifest.json, README and a CI file, into the folder NAME. The SDK's sources\n" +
			"come along, so it builds without a network.\n\nKinds: " + strings.Join(scaffold.Kinds(), ", ") + ". Languages: " + pluginbuild.LangNames() + ".",
		Example: "  runner plugin new hello\n  runner plugin new my-check --kind validator --lang rust --dir /tmp/my-check",
		Args:    exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Name, o.Lang = args[0], pluginbuild.Lang(lang)
			if o.Dir == "" {
				o.Dir = o.Name
			}
			r, err := scaffold.Write(o)
			if errors.Is(err, scaffold.ErrUsage) {
				return fail(exitUsage, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, r)
			}
			return a.showNew(r)
		},
	}
	fl := c.Flags()
	fl.StringVar(&o.Kind, "kind", "workload", "`kind` of its component")
	fl.StringVar(&lang, "lang", string(pluginbuild.Go), "`language` that it is written in")
	fl.StringVar(&o.Dir, "dir", "", "`folder` to write, new or empty (default NAME)")
	fl.BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// showNew tells what was written and what to do with it.
func (a *app) showNew(r *scaffold.Result) error {
	kind := r.Kind
	if kind == "live" {
		kind = "live workload"
	}
	b := fmt.Appendf(nil, "wrote    %s: a %s in %s, %s and the SDK\n", r.Dir, kind, r.Language, plural(len(r.Files), "file"))
	b = fmt.Appendf(b, "test     (cd %s && %s)\nbuild    runner plugin build %s\ncheck    runner plugin test %s/%s\n", r.Dir, r.Test, r.Dir, strings.TrimSuffix(r.Dir, "/"), r.File)
	_, err := a.Stdout.Write(b)
	return err
}
