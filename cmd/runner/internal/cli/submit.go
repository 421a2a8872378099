package cli

import "github.com/spf13/cobra"

func (a *app) submitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "submit",
		Short: "Prepare packages for MLPerf Endpoints, Agentic Inference",
		Long: "Works on packages of MLPerf Endpoints. Official results of the scenario CoP must come from the unmodified reference\n" +
			"client; what Paceline writes names Paceline as its client.",
		RunE: group,
	}
	c.AddCommand(a.submitVizCommand())
	return c
}
