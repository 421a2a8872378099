// Command words is an example of a counter. It counts words, or bytes, in place of a model's tokens: enough to see figures in
// tokens where a target tells none, and to learn how a counter is made.
package main

import (
	"paceline/sdk"
	"paceline/sdk/examples/words/parts"
)

var plugin = parts.Plugin()

func init() { sdk.Serve(&plugin) }

func main() {}
