// Command checks is the plugin std/checks: two validators for any workload and any target.
package main

import (
	"paceline/sdk"
	"paceline/workloads/checks/identity"
	"paceline/workloads/checks/toolcalls"
)

var plugin = sdk.Plugin{Name: "checks", Version: "0.1.0", Components: []sdk.Component{
	identity.Component(),
	toolcalls.Component(),
}}

func init() { sdk.Serve(&plugin) }

func main() {}
