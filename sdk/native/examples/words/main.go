// Command words is the example plugin words as a native plugin: the component is that of the wasm module.
package main

import (
	"paceline/sdk/examples/words/parts"
	"paceline/sdk/native"
)

func main() {
	plugin := parts.Plugin()
	native.Serve(&plugin)
}
