package wasmworker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"paceline/plugins/wasmabi"
)

// instance is one instance of the module with what it sees of the world.
type instance struct {
	id     uint32
	method uint32 // of the running call; 0 before the first one
	module api.Module
	memory *linearMemory
	alloc  api.Function
	free   api.Function
	invoke api.Function
	stack  [3]uint64 // arguments and results of the exports
	reply  []byte    // copy of the last reply, reused

	clocks clocks
	random random
	prints [2]bytes.Buffer // lines of standard output and standard error that have no end yet
	said   string          // the first line on standard error of the running call
}

// instantiate makes a fresh instance. What its start function or _initialize does counts as this request's failure.
func (e *engine) instantiate(ctx context.Context, req Instantiate) error {
	if _, ok := e.instances[req.Instance]; ok {
		return fmt.Errorf("instance %d is there already", req.Instance)
	}
	inst := &instance{id: req.Instance, clocks: newClocks(), random: random{component: req.Seed}}
	e.current = inst
	defer func() { e.current = nil }()
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err := e.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, inst.allocator(e.load.MemoryPages)), e.compiled, cfg)
	if err != nil {
		failure := inst.failure("start", err)
		if inst.memory != nil {
			inst.memory.free()
		}
		return failure
	}
	inst.module = module
	e.instances[inst.id] = inst
	inst.alloc = module.ExportedFunction(wasmabi.ExportAlloc)
	inst.free = module.ExportedFunction(wasmabi.ExportFree)
	inst.invoke = module.ExportedFunction(wasmabi.ExportInvoke)
	if init := module.ExportedFunction(wasmabi.ExportInitialize); init != nil {
		_, err := init.Call(ctx)
		e.flushPrints(inst)
		if err != nil {
			failure := inst.quoted(inst.failure(wasmabi.ExportInitialize, err))
			e.discard(ctx, inst.id)
			return failure
		}
	}
	return nil
}

// call runs one method and writes the reply frame. After an error the instance must be discarded.
func (e *engine) call(ctx context.Context, id, method uint32, message []byte) error {
	inst, ok := e.instances[id]
	if !ok {
		return fmt.Errorf("no instance %d", id)
	}
	e.current = inst
	defer func() { e.current = nil }()
	inst.method = method
	inst.memory.refused, inst.said = 0, ""
	inst.random.reset(method, message)
	reply, err := inst.answer(ctx, method, message, e.load.MaxReply)
	e.flushPrints(inst)
	if err != nil {
		return inst.quoted(err)
	}
	e.logs.report()
	e.out.write(KindReply, reply)
	return nil
}

// answer is one call as the ABI orders it: alloc, write, invoke, copy the reply, free both. A request of no bytes is
// neither allocated nor freed.
func (inst *instance) answer(ctx context.Context, method uint32, message []byte, maxReply uint32) ([]byte, error) {
	var at uint32
	var err error
	if len(message) > 0 {
		if at, err = inst.put(ctx, message); err != nil {
			return nil, err
		}
	}
	packed, err := inst.run(ctx, wasmabi.ExportInvoke, inst.invoke, 1, uint64(method), uint64(at), uint64(len(message)))
	if err != nil {
		return nil, err
	}
	ptr, size := uint32(packed>>32), uint32(packed)
	view, err := inst.view(ptr, size, maxReply)
	if err != nil {
		return nil, err
	}
	if cap(inst.reply) > keepBuffer {
		inst.reply = nil
	}
	inst.reply = append(inst.reply[:0], view...)
	if len(message) > 0 {
		if _, err := inst.run(ctx, wasmabi.ExportFree, inst.free, 0, uint64(at), uint64(len(message))); err != nil {
			return nil, err
		}
	}
	if _, err := inst.run(ctx, wasmabi.ExportFree, inst.free, 0, uint64(ptr), uint64(size)); err != nil {
		return nil, err
	}
	return inst.reply, nil
}

// put allocates guest memory for the message and copies it there.
func (inst *instance) put(ctx context.Context, message []byte) (uint32, error) {
	n := uint32(len(message))
	got, err := inst.run(ctx, wasmabi.ExportAlloc, inst.alloc, 1, uint64(n))
	if err != nil {
		return 0, err
	}
	at := uint32(got) // the engine leaves junk in the high half of an i32
	if at == 0 {
		return 0, &Failure{Fault: FaultMemory, Text: fmt.Sprintf("the guest has no memory for a request of %d bytes", n), Found: uint64(n)}
	}
	if !inst.module.Memory().Write(at, message) {
		return 0, &Failure{Fault: FaultMalformed, Text: fmt.Sprintf("%s gave %d for %d bytes, and the memory ends at %d", wasmabi.ExportAlloc, at, n, inst.module.Memory().Size())}
	}
	return at, nil
}

// view checks a packed reply and gives its bytes inside guest memory: good until the guest runs again.
func (inst *instance) view(ptr, size, limit uint32) ([]byte, error) {
	end, have := uint64(ptr)+uint64(size), uint64(inst.module.Memory().Size())
	switch {
	case ptr == 0:
		return nil, &Failure{Fault: FaultMalformed, Text: "the reply's address is 0"}
	case size == 0:
		return nil, &Failure{Fault: FaultMalformed, Text: "the reply has no bytes, not even the first one"}
	case end > have:
		return nil, &Failure{Fault: FaultMalformed, Text: fmt.Sprintf("the reply ends at %d, and the memory at %d", end, have)}
	case size > limit:
		return nil, &Failure{Fault: FaultOversized, Text: fmt.Sprintf("a reply of %d bytes", size), Found: uint64(size), Limit: uint64(limit)}
	}
	view, _ := inst.module.Memory().Read(ptr, size)
	return view, checkReply(view)
}

// maxStatusText bounds the text of a status.
const maxStatusText = 4 << 10

// checkReply looks at the first byte of a reply, and at a status whole.
func checkReply(view []byte) error {
	const message, status, lastCode = 0, 1, 16
	switch {
	case view[0] > status:
		return &Failure{Fault: FaultMalformed, Text: fmt.Sprintf("the reply's first byte is %d, and only 0 and 1 have a meaning", view[0])}
	case view[0] == message:
		return nil
	case len(view) < 2:
		return &Failure{Fault: FaultMalformed, Text: "a status without its code"}
	case view[1] == 0 || view[1] > lastCode:
		return &Failure{Fault: FaultMalformed, Text: fmt.Sprintf("a status of code %d, and codes go from 1 to %d", view[1], lastCode)}
	case len(view)-2 > maxStatusText:
		return &Failure{Fault: FaultMalformed, Text: fmt.Sprintf("a status text of %d bytes, and %d are allowed", len(view)-2, maxStatusText)}
	}
	return nil
}

// run calls one export.
func (inst *instance) run(ctx context.Context, name string, f api.Function, results int, args ...uint64) (uint64, error) {
	n := copy(inst.stack[:], args)
	if err := f.CallWithStack(ctx, inst.stack[:max(n, results)]); err != nil {
		return 0, inst.failure(name, err)
	}
	return inst.stack[0], nil
}

// maxTrapText bounds the text of a trap: it holds a stack trace.
const maxTrapText = 2 << 10

// failure tells exits from traps, and both from a guest that was refused memory and could not go on.
func (inst *instance) failure(where string, err error) error {
	f := guestFailure(where, err)
	if inst.memory != nil && inst.memory.refused > 0 {
		f.Fault, f.Found, f.Grown = FaultMemory, inst.memory.refused, true
	}
	return f
}

// quoted adds to a failure of the guest what it printed first: a language's runtime says there what went wrong.
func (inst *instance) quoted(err error) error {
	f, ok := errors.AsType[*Failure](err)
	if ok && inst.said != "" && (f.Fault == FaultTrap || f.Fault == FaultExit || f.Grown) {
		f.Text = fmt.Sprintf("%q: %s", inst.said, f.Text)
	}
	return err
}

func guestFailure(where string, err error) *Failure {
	if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		return &Failure{Fault: FaultExit, Text: fmt.Sprintf("the guest exited in %s with code %d", where, exit.ExitCode()), Code: exit.ExitCode()}
	}
	text := strings.ToValidUTF8(err.Error(), "?")
	if len(text) > maxTrapText {
		text = strings.ToValidUTF8(text[:maxTrapText], "") + " ..."
	}
	return &Failure{Fault: FaultTrap, Text: where + ": " + strings.ReplaceAll(text, "\n", " | ")}
}
