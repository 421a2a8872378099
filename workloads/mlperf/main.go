// Command mlperf is the plugin std/mlperf: MLPerf Endpoints, Agentic Inference, as a workload, a scorer and a validator.
package main

import (
	"paceline/sdk"
	"paceline/workloads/mlperf/agentic"
	"paceline/workloads/mlperf/inline"
	"paceline/workloads/mlperf/outputlength"
)

var plugin = sdk.Plugin{Name: "mlperf", Version: "0.1.0", Components: []sdk.Component{
	agentic.Component(),
	inline.Component(),
	outputlength.Component(),
}}

func init() { sdk.Serve(&plugin) }

func main() {}
