// Package remote is a scorer that has a SWE-bench service do the work, as the reference client of MLPerf Endpoints does: it
// submits one run, asks every five seconds how far it is, and takes results and artifacts. The service gets the relay's
// address and the relay's token in place of the target's, so the target's key stays in the runner and every request of the
// agents is recorded.
//
// Each step is one exchange with the service, and the state between two steps holds the run's id, so that any process can go
// on with it or cancel it. What the service says is a stranger's word: sizes are bound, redirects refused, names of artifacts
// are ours, and counters that do not fit each other are no score.
package remote

import (
	"time"

	"paceline/sdk"
)

// clock is the time as the steps see it; tests have their own.
type clock struct {
	now  func() time.Time
	wait func(time.Duration)
}

// Plugin is the plugin with its one component.
func Plugin() sdk.Plugin { return plugin(clock{time.Now, time.Sleep}) }

func plugin(c clock) sdk.Plugin {
	return sdk.Plugin{Name: "swebench", Version: "0.1.0", Components: []sdk.Component{{
		Name:         "service",
		Summary:      "SWE-bench by a service: share of instances that are resolved",
		ConfigSchema: []byte(schema),
		Capabilities: []sdk.Capability{sdk.CapabilityInputs, sdk.CapabilityTarget, sdk.CapabilityNetwork},
		Inputs:       []string{inputName},
		Unit:         sdk.UnitConversation,
		Evaluator:    func(o *sdk.Opening) (sdk.Evaluator, error) { return open(o, c) },
	}}}
}
