// Command echo is an example of a plugin with one component of three kinds. Its workload asks the model to repeat each
// line of a text, its validator wants an answer to every turn, its scorer counts the exact repetitions.
package main

import (
	"paceline/sdk"
	"paceline/sdk/examples/echo/parts"
)

var plugin = parts.Plugin()

func init() { sdk.Serve(&plugin) }

func main() {}
