//go:build unix

package wasmworker

import "golang.org/x/sys/unix"

// linearMemory is a guest's memory, mapped at its largest size and touched only as far as it has grown: growing copies
// nothing, and closing the instance gives the pages back at once, neither of which holds for memory from Go's heap.
type linearMemory struct {
	mapped  []byte
	limit   uint64
	refused uint64 // the size above the limit that the guest wanted last
}

// reserve maps limit bytes of address space. A mapping that the system refuses shows when the guest wants memory.
func reserve(_, limit uint64) *linearMemory {
	mapped, err := unix.Mmap(-1, 0, int(max(limit, 1)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return &linearMemory{limit: limit}
	}
	return &linearMemory{mapped: mapped, limit: limit}
}

// Reallocate implements the engine's LinearMemory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = size
	}
	if size > uint64(len(m.mapped)) {
		return nil
	}
	return m.mapped[:size]
}

// Free implements the engine's LinearMemory. The engine may call it while it still holds the slice, so the pages go back
// only with free.
func (m *linearMemory) Free() {}

// free gives the pages back; the instance must be closed.
func (m *linearMemory) free() {
	if m.mapped != nil {
		_ = unix.Munmap(m.mapped)
		m.mapped = nil
	}
}
