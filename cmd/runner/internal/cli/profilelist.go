package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"paceline/profile/catalog"
)

func (a *app) profileListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the shipped profiles, how good their numbers are and where they come from",
		Long: "Lists the shipped profiles with their provenance: exact was fitted to the whole of the published data, estimated to a sample, and\n" +
			"provisional is put together from what was published. The figures are medians over 1,000 drawn conversations, each for itself.",
		Example: "  runner profile list\n" +
			"  runner run profiles/codex-swe-bench-pro --users 16 --target URL",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := catalog.All(c.Context())
			if err != nil {
				return err
			}
			return a.showProfiles(list, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) showProfiles(list []catalog.Entry, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(a.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	const row = "%-29s %-12s %7v %13v %12v %8v %8v\n"
	fmt.Fprintf(a.Stdout, row, "preset", "provenance", "turns", "first prompt", "last prompt", "output", "waits s")
	for _, e := range list {
		m := e.Medians
		fmt.Fprintf(a.Stdout, row, e.Preset, e.Provenance, m.Turns, m.FirstPrompt, m.LastPrompt, m.Output, fmt.Sprintf("%.1f", m.WaitSeconds))
	}
	fmt.Fprintln(a.Stdout)
	for _, e := range list {
		fmt.Fprintf(a.Stdout, "%s: %s\n", e.Preset, e.Source)
	}
	return nil
}
