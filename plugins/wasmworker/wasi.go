package wasmworker

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"paceline/plugins/wasmabi"
)

// Error numbers of WASI preview 1.
const (
	errnoSuccess = 0
	errnoBadf    = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNotsup  = 58
	errnoSpipe   = 70
)

// wasiFunctions gives every function of WASI that may be imported: those that the worker answers, and for all others one
// that only gives an error, since compilers link them without a use.
func wasiFunctions(e *engine) map[string]hostFunc {
	functions := map[string]hostFunc{}
	for name := range wasmabi.WASIImports() {
		functions[name] = answer(errnoBadf)
	}
	for name, f := range e.wasiAnswered() {
		functions[name] = f
	}
	return functions
}

func answer(errno uint32) hostFunc {
	return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = uint64(errno) }
}

// wasiFunc answers with an error number.
type wasiFunc func(m api.Memory, args []uint64) uint32

func (f wasiFunc) host(_ context.Context, m api.Module, stack []uint64) {
	stack[0] = uint64(f(m.Memory(), stack))
}

func (e *engine) wasiAnswered() map[string]hostFunc {
	return map[string]hostFunc{
		"args_sizes_get":      wasiFunc(twoZeros).host,
		"environ_sizes_get":   wasiFunc(twoZeros).host,
		"args_get":            answer(errnoSuccess),
		"environ_get":         answer(errnoSuccess),
		"sched_yield":         func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = errnoSuccess },
		"clock_res_get":       wasiFunc(clockResolution).host,
		"clock_time_get":      wasiFunc(e.clockTime).host,
		"random_get":          wasiFunc(e.randomGet).host,
		"poll_oneoff":         wasiFunc(pollOneoff).host,
		"fd_close":            onStream(errnoSuccess).host,
		"fd_fdstat_set_flags": onStream(errnoNotsup).host,
		"fd_seek":             onStream(errnoSpipe).host,
		"fd_fdstat_get":       wasiFunc(fdstatGet).host,
		"fd_read":             wasiFunc(fdRead).host,
		"fd_write":            wasiFunc(e.fdWrite).host,
		"proc_exit": func(_ context.Context, _ api.Module, stack []uint64) {
			// The engine turns this into the error of the export that called; the instance is discarded then.
			panic(sys.NewExitError(uint32(stack[0])))
		},
	}
}

func putU32(m api.Memory, at uint64, v uint32) bool { return m.WriteUint32Le(uint32(at), v) }

func done(ok bool) uint32 {
	if !ok {
		return errnoFault
	}
	return errnoSuccess
}

// twoZeros answers args_sizes_get and environ_sizes_get: nothing, of no length.
func twoZeros(m api.Memory, args []uint64) uint32 {
	return done(putU32(m, args[0], 0) && putU32(m, args[1], 0))
}

func clockResolution(m api.Memory, args []uint64) uint32 {
	if uint32(args[0]) >= numClocks {
		return errnoInval
	}
	return done(m.WriteUint64Le(uint32(args[1]), clockStep))
}

func (e *engine) clockTime(m api.Memory, args []uint64) uint32 {
	if uint32(args[0]) >= numClocks {
		return errnoInval
	}
	return done(m.WriteUint64Le(uint32(args[2]), e.current.clocks.read(uint32(args[0]))))
}

func (e *engine) randomGet(m api.Memory, args []uint64) uint32 {
	p, ok := m.Read(uint32(args[0]), uint32(args[1]))
	if ok {
		e.current.random.fill(p)
	}
	return done(ok)
}

// Standard streams.
const (
	fdStdin  = 0
	fdStderr = 2
)

func onStream(errno uint32) wasiFunc {
	return func(_ api.Memory, args []uint64) uint32 {
		if uint32(args[0]) > fdStderr {
			return errnoBadf
		}
		return errno
	}
}

// fdstatGet says that the three standard streams are character devices that cannot seek.
func fdstatGet(m api.Memory, args []uint64) uint32 {
	if uint32(args[0]) > fdStderr {
		return errnoBadf
	}
	const characterDevice = 2
	var stat [24]byte
	stat[0] = characterDevice
	const seek, tell = 1 << 2, 1 << 5
	binary.LittleEndian.PutUint64(stat[8:], (1<<30-1)&^(seek|tell))
	return done(m.Write(uint32(args[1]), stat[:]))
}

// fdRead finds standard input at its end.
func fdRead(m api.Memory, args []uint64) uint32 {
	if uint32(args[0]) != fdStdin {
		return errnoBadf
	}
	return done(putU32(m, args[3], 0))
}

// fdWrite makes log lines of what the guest prints.
func (e *engine) fdWrite(m api.Memory, args []uint64) uint32 {
	fd, list, count := uint32(args[0]), uint32(args[1]), uint32(args[2])
	if fd == fdStdin || fd > fdStderr {
		return errnoBadf
	}
	const maxVectors = 1024
	if count > maxVectors {
		return errnoInval
	}
	var total uint64
	for i := range count {
		ptr, ok1 := m.ReadUint32Le(list + 8*i)
		size, ok2 := m.ReadUint32Le(list + 8*i + 4)
		text, ok3 := m.Read(ptr, size)
		if !ok1 || !ok2 || !ok3 || total+uint64(size) > 1<<31 {
			return errnoFault
		}
		e.print(fd, text)
		total += uint64(size)
	}
	return done(putU32(m, args[3], uint32(total)))
}
