// Command bfcl is the plugin std/bfcl: function calling by the Berkeley Function Calling Leaderboard, version 4, single turn.
package main

import (
	"paceline/sdk"
	"paceline/workloads/bfcl/ast"
	"paceline/workloads/bfcl/singleturn"
)

var plugin = sdk.Plugin{Name: "bfcl", Version: "0.1.0", Components: []sdk.Component{
	singleturn.Component(),
	ast.Component(),
}}

func init() { sdk.Serve(&plugin) }

func main() {}
