package wasmworker

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/tetratelabs/wazero/api"
)

// Errors of input_read, as the guest sees them.
const (
	inputUnknown = -1 // no such input was granted
	inputSpan    = -2 // the span lies outside the guest's memory
	inputOffset  = -3 // a negative offset
	inputFailed  = -4 // reading failed
)

// hostFunctions are the functions of the module paceline_v1.
func (e *engine) hostFunctions() map[string]hostFunc {
	return map[string]hostFunc{
		"log": func(_ context.Context, m api.Module, stack []uint64) {
			text, ok := m.Memory().Read(uint32(stack[1]), uint32(stack[2]))
			if !ok {
				e.logs.cut(1, 0)
				return
			}
			e.logs.line(e.current.id, uint32(stack[0]), text)
		},
		"input_read": func(_ context.Context, m api.Module, stack []uint64) {
			stack[0] = uint64(e.inputRead(m, uint32(stack[0]), int64(stack[1]), uint32(stack[2]), uint32(stack[3])))
		},
	}
}

func (e *engine) inputRead(m api.Module, handle uint32, offset int64, ptr, size uint32) int64 {
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
	into = into[:min(int64(len(into)), in.size-offset)]
	n, err := in.file.ReadAt(into, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return inputFailed
	}
	return int64(n)
}

// Levels of log lines.
const (
	LevelDebug = iota
	LevelInfo
	LevelWarning
	LevelError
)

// maxLine is the longest log line that is forwarded; the rest of a longer one is cut.
const maxLine = 8 << 10

// logs forwards log lines to the parent up to a budget and counts the rest.
type logs struct {
	out          *worker
	budget       int64
	lines, bytes uint64 // cut since the last report
}

func newLogs(w *worker, budget int64) *logs { return &logs{out: w, budget: budget} }

// line forwards one line, cut to what is left of the budget.
func (l *logs) line(instance, level uint32, text []byte) {
	keep := text[:min(int64(len(text)), maxLine, max(l.budget, 0))]
	if rest := len(text) - len(keep); rest > 0 || l.budget <= 0 {
		l.cut(1, uint64(rest))
	}
	if l.budget <= 0 {
		return
	}
	l.budget -= int64(len(keep)) + 1
	l.out.write(KindLog, U32(instance), []byte{byte(min(level, LevelError))}, keep)
}

func (l *logs) cut(lines, bytes uint64) {
	l.lines += lines
	l.bytes += bytes
}

// report tells the parent what was cut since the last report.
func (l *logs) report() {
	if l.lines == 0 && l.bytes == 0 {
		return
	}
	body := binary.LittleEndian.AppendUint32(nil, 0)
	body = binary.LittleEndian.AppendUint64(body, l.lines)
	body = binary.LittleEndian.AppendUint64(body, l.bytes)
	l.lines, l.bytes = 0, 0
	l.out.write(KindDropped, body)
}
