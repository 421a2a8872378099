//go:build !wasip1

package sdk

// Serve makes the plugin what a wasm module offers. Call it from an init function of package main, once. It panics on a
// faulty definition. Outside of a wasm module it does only that check, so that package main can be tested.
func Serve(p *Plugin) {
	if err := p.Check(); err != nil {
		panic(err)
	}
}
