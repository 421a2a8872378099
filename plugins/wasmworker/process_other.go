//go:build !unix

package wasmworker

func prepare() error { return nil }

// cpuBackstop does nothing on systems without CPU limits for processes.
type cpuBackstop struct{}

func newCPUBackstop() *cpuBackstop { return &cpuBackstop{} }

func (*cpuBackstop) extend(uint32) {}
