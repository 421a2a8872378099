package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"paceline/core/journal"
)

// version is the release; a build from a checkout adds its commit.
const version = "0.1.0-dev"

// build tells which runner this is, from what the Go toolchain wrote into it.
func build() journal.Build {
	b := journal.Build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version", Short: "Show the version of the runner", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			b := build()
			if asJSON {
				return writeJSON(a.Stdout, b)
			}
			text := fmt.Sprintf("runner %s (%s, %s/%s)", b.Version, b.Go, b.OS, b.Arch)
			if b.Commit != "" {
				text += " commit " + b.Commit
			}
			if b.Dirty {
				text += " with changes"
			}
			_, err := fmt.Fprintln(a.Stdout, text)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
