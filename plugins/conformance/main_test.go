package conformance

import (
	"os"
	"testing"

	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// TestMain lets the test binary be the worker, and the guard of native plugins.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wasmworker.Command:
			os.Exit(wasmworker.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case native.Command:
			os.Exit(native.Guard(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}
