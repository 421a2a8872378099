// Package guesttest assembles small WebAssembly modules for tests: a [Module] holds imports, functions and data, a [Guest]
// is a plugin of ABI version 1 around one invoke function. Only tests import it.
package guesttest
