package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"paceline/core/sim"
)

func (a *app) simPresetsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "presets",
		Short:   "Show the presets of the simulated engine, and where each number comes from",
		Example: "  runner sim presets\n  runner sim presets --json",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writePresetsJSON(a.Stdout)
			}
			return writePresets(a.Stdout)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// simPresetNames lists the presets for the help text.
func simPresetNames() string {
	var names []string
	for _, p := range sim.Presets() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func writePresets(w io.Writer) error {
	var b strings.Builder
	for i, p := range sim.Presets() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", p.Name, p.Summary)
		for _, n := range p.Numbers() {
			fmt.Fprintf(&b, "  %-15s %7s  %s\n", n.Field, n.Value, n.Why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writePresetsJSON(w io.Writer) error {
	type preset struct {
		Name    string       `json:"name"`
		Summary string       `json:"summary"`
		Numbers []sim.Number `json:"numbers"`
	}
	list := []preset{}
	for _, p := range sim.Presets() {
		list = append(list, preset{p.Name, p.Summary, p.Numbers()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(list)
}
