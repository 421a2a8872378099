// Command echo is the example plugin echo as a native plugin: the components are those of the wasm module.
package main

import (
	"paceline/sdk/examples/echo/parts"
	"paceline/sdk/native"
)

func main() {
	plugin := parts.Plugin()
	native.Serve(&plugin)
}
