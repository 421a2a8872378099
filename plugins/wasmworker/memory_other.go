//go:build !unix

package wasmworker

// linearMemory is a guest's memory on Go's heap.
type linearMemory struct {
	bytes   []byte
	limit   uint64
	refused uint64 // the size above the limit that the guest wanted last
}

func reserve(capacity, limit uint64) *linearMemory {
	return &linearMemory{bytes: make([]byte, 0, capacity), limit: limit}
}

// Reallocate implements the engine's LinearMemory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = size
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		m.bytes = append(make([]byte, 0, size), m.bytes...)
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free implements the engine's LinearMemory.
func (m *linearMemory) Free() {}

func (m *linearMemory) free() { m.bytes = nil }
