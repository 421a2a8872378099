//go:build wasip1

package sdk

import (
	"runtime"
	"unsafe"

	"paceline/sdk/contract"
)

// maxBlock bounds what alloc gives out: the longest request and a little. What is left of the memory is not known to a
// guest; Go exits where it cannot grow.
const maxBlock = 64<<20 + 4096

// guest is the state of this module. The ABI's exports are functions without a receiver, so it must be global.
var guest struct {
	instance *Instance
	pinned   map[uint32][]byte // blocks that the host holds, by address: the collector sees no other reference to them
}

// Serve makes the plugin what this module offers. Call it from an init function of package main, once. The definition is
// not checked here, where it would only cost room: tests and the host do that.
func Serve(p *Plugin) {
	guest.instance = NewInstance(p, wasmHost{})
	guest.pinned = make(map[uint32][]byte)
}

func pin(b []byte) uint32 {
	ptr := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	guest.pinned[ptr] = b
	return ptr
}

//go:wasmexport paceline_v1_alloc
func alloc(n uint32) uint32 {
	if n > maxBlock {
		return 0
	}
	return pin(make([]byte, max(n, 1)))
}

// free yields, or the collector's goroutines would never get to run between the short calls.
//
//go:wasmexport paceline_v1_free
func free(ptr, _ uint32) {
	delete(guest.pinned, ptr)
	runtime.Gosched()
}

//go:wasmexport paceline_v1_invoke
func invoke(method, ptr, n uint32) uint64 {
	if guest.instance == nil {
		panic("no plugin is served: call sdk.Serve from an init function")
	}
	block := guest.pinned[ptr]
	if uint64(n) > uint64(len(block)) {
		panic("request outside of an allocated block")
	}
	reply := guest.instance.Invoke(contract.Method(method), block[:n:n])
	return uint64(pin(reply))<<32 | uint64(len(reply))
}

// wasmHost asks the host through the module's imports.
type wasmHost struct{}

func (wasmHost) Log(level Level, text string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

func (wasmHost) ReadInput(handle uint32, p []byte, offset int64) int64 {
	return hostInputRead(handle, uint64(offset), unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
}

//go:wasmimport paceline_v1 log
func hostLog(level uint32, ptr unsafe.Pointer, n uint32)

//go:wasmimport paceline_v1 input_read
func hostInputRead(input uint32, offset uint64, ptr unsafe.Pointer, n uint32) int64
