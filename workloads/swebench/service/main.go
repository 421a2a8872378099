// Command service is the native plugin that has a SWE-bench service evaluate the run's target: `service manifest LICENSE`
// prints its manifest.
package main

import (
	"paceline/sdk/native"
	"paceline/workloads/swebench/remote"
)

func main() {
	plugin := remote.Plugin()
	native.Serve(&plugin)
}
