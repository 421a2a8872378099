// Package native makes a native plugin, an executable, of the same Plugin value that makes a wasm module with package sdk:
//
//	func main() { native.Serve(&plugin) }
//
// Such a plugin runs outside of the runner's sandbox, so its users have to allow it, and what it does is not repeatable in
// the way that a wasm module's work is. It is for work that needs the network, containers, or libraries that do not run in
// wasm. Each instance is a process of its own: it is opened once, answers one call at a time, and ends with its runner.
//
// The runner looks for a manifest beside the executable. Started as `NAME manifest LICENSE`, the executable prints it.
package native
