// Command codeqa is the plugin std/codeqa: questions over a bundled tree of files for a live agent with tools, and their
// scorer.
package main

import (
	"paceline/sdk"
	"paceline/workloads/codeqa/agent"
	"paceline/workloads/codeqa/answers"
)

var plugin = sdk.Plugin{Name: "codeqa", Version: "0.1.0", Components: []sdk.Component{
	agent.Component(),
	answers.Component(),
}}

func init() { sdk.Serve(&plugin) }

func main() {}
