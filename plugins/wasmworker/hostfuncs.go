package wasmworker

import (
	"context"
	"errors"
	"io"

	"github.com/tetratelabs/wazero/api"
)

// Errors of input_read, as the guest sees them.
const (
	inputUnknown = -1 // no such input was granted
	inputSpan    = -2 // the span lies outside the guest's memory
	inputOffset  = -3 // an offset above 2^63 - 1
	inputFailed  = -4 // reading failed
	inputEarly   = -5 // outside of an invoke, or from Describe
)

// hostFunctions are the functions of the module paceline_v1.
func (e *engine) hostFunctions() map[string]hostFunc {
	return map[string]hostFunc{
		"log": func(_ context.Context, m api.Module, stack []uint64) {
			text, ok := m.Memory().Read(uint32(stack[1]), uint32(stack[2]))
			if !ok {
				panic(errLogSpan) // a trap
			}
			e.logs.line(e.current.id, uint32(stack[0]), text)
		},
		"input_read": func(_ context.Context, m api.Module, stack []uint64) {
			stack[0] = uint64(e.inputRead(m, uint32(stack[0]), int64(stack[1]), uint32(stack[2]), uint32(stack[3])))
		},
	}
}

// errLogSpan ends a guest that logs what is not in its memory.
var errLogSpan = errors.New("log: the text lies outside the memory")

// maxRead is the most that one input_read copies.
const maxRead = 16 << 20

// methodDescribe is the one method that comes before inputs are granted.
const methodDescribe = 1

func (e *engine) inputRead(m api.Module, handle uint32, offset int64, ptr, size uint32) int64 {
	if e.current.method <= methodDescribe {
		return inputEarly
	}
	if uint64(handle) >= uint64(len(e.inputs)) {
		return inputUnknown
	}
	in := e.inputs[handle]
	into, ok := m.Memory().Read(ptr, size)
	switch {
	case !ok:
		return inputSpan
	case offset < 0:
		return inputOffset
	case offset >= in.size:
		return 0
	}
	into = into[:min(int64(len(into)), in.size-offset, maxRead)]
	n, err := in.file.ReadAt(into, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return inputFailed
	}
	return int64(n)
}
