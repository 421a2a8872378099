// Package sdk is what the author of a Paceline plugin imports. An author implements one small interface a component
// (Workload, Validator, Scorer, Evaluator or Counter), lists the components in a Plugin value, and hands that to Serve:
//
//	func init() { sdk.Serve(&plugin) }
//	func main() {}
//
//	var plugin = sdk.Plugin{Name: "hello", Version: "0.1.0", Components: []sdk.Component{{
//		Name:     "greet",
//		Summary:  "asks each name of a list for a greeting",
//		Workload: openGreet,
//	}}}
//
// Built with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared, that is a plugin. Under any other system the same
// package is ordinary Go, so a component is unit-tested with go test; package sdktest drives one through the very bytes
// that a host would send.
//
// An answer depends on the arguments, the configuration, the inputs and the seed, and on nothing else: the host repeats
// calls in other instances and on other machines and compares. So there is no global state to keep, no clock to read, and
// a map is never ranged over on the way to an answer.
//
// An error that a method returns becomes a status: the instance goes on. A panic is not caught: it ends the instance, and
// the host starts a fresh one. The host calls one instance from one goroutine at a time.
package sdk
