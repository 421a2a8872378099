package cli

import "github.com/spf13/cobra"

// honesty is what every export says about itself.
const honesty = "Official results of scenario CoP must come from the unmodified reference client; what Paceline exports names Paceline as its client."

func (a *app) submitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "submit",
		Short: "Prepare and check packages for MLPerf Endpoints",
		Long:  "Prepares and checks packages for MLPerf Endpoints, Agentic Inference.\n\n" + honesty,
		RunE:  group,
	}
	c.AddCommand(a.submitCheckCommand())
	return c
}
