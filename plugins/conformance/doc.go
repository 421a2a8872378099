// Package conformance is the test kit for plugins: [Run] holds one plugin, a wasm module or a native executable, to the
// contract from the outside. It asks for what a run asks for, in other orders, other batches, other instances and other
// engines, with configurations, inputs and answers that no careful author would write, and reports every check.
//
// The tests of this package play whole runs with guests that fail in every way that is known, at every place where a plugin
// is called. The table that comes of them is docs/plugin-failures.md.
package conformance
