// Command profiles is the plugin std/profiles: agent runs by length and wait, drawn from published profiles or from a user's.
package main

import (
	"paceline/sdk"
	"paceline/workloads/profiles/trace"
)

var plugin = sdk.Plugin{Name: "profiles", Version: "0.1.0", Components: []sdk.Component{
	trace.Component(),
}}

func init() { sdk.Serve(&plugin) }

func main() {}
