package wasmworker

import (
	"context"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"paceline/core/digest"
	"paceline/plugins/wasmabi"
)

// engine is one compiled module with its live instances.
type engine struct {
	load      Load
	out       *worker
	runtime   wazero.Runtime
	compiled  wazero.CompiledModule
	instances map[uint32]*instance
	current   *instance // the one that runs
	inputs    []input
	logs      *logs
}

// input is one inherited descriptor; reads beyond size find nothing.
type input struct {
	file *os.File
	size int64
}

// newEngine checks the module, compiles it or takes it from the cache, and readies the host's functions.
func newEngine(ctx context.Context, req Load, module []byte, w *worker) (*engine, *Loaded, error) {
	if err := checkModule(req, module); err != nil {
		return nil, nil, &Failure{Fault: FaultRefused, Text: err.Error()}
	}
	e := &engine{load: req, out: w, instances: map[uint32]*instance{}, logs: newLogs(w, req.LogBytes)}
	for i, size := range req.InputSizes {
		e.inputs = append(e.inputs, input{file: os.NewFile(FirstInput+uintptr(i), "input"), size: size})
	}
	loaded, err := e.compile(ctx, module)
	if err != nil {
		return nil, nil, &Failure{Fault: FaultRefused, Text: err.Error()}
	}
	if err := e.link(ctx); err != nil {
		return nil, nil, fmt.Errorf("link the host's functions: %w", err)
	}
	return e, loaded, nil
}

// checkModule looks at the very bytes that are compiled next.
func checkModule(req Load, module []byte) error {
	if found := digest.Of(module); found != req.Digest {
		return fmt.Errorf("the module's digest is %s, and %s was promised", found, req.Digest)
	}
	if req.MemoryPages == 0 || req.MemoryPages > wasmabi.MaxPages {
		return fmt.Errorf("a memory limit of %d pages: it must be from 1 to %d", req.MemoryPages, wasmabi.MaxPages)
	}
	file, err := wasmabi.Parse(module)
	if err != nil {
		return err
	}
	return wasmabi.Check(file, wasmabi.Rules{Pure: req.Pure, MemoryPages: req.MemoryPages})
}

func (e *engine) config() wazero.RuntimeConfig {
	cfg := wazero.NewRuntimeConfigCompiler()
	if e.load.Mode == Interpreter {
		cfg = wazero.NewRuntimeConfigInterpreter()
	}
	// No end on a context's end: it slows loops several times and does not bound everything; the parent kills instead.
	// The instances' own allocator keeps the memory limit: what the engine refuses itself, nobody hears of.
	return cfg.WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(wasmabi.MaxPages).WithDebugInfoEnabled(false)
}

func (e *engine) compile(ctx context.Context, module []byte) (*Loaded, error) {
	cache := openCache(e.load)
	loaded := &Loaded{}
	var err error
	if dir, ok := cache.lookup(loaded); ok {
		if err = e.compileIn(ctx, module, dir); err == nil {
			return loaded, nil
		}
		cache.drop(loaded, "the engine cannot read it")
	}
	if dir, ok := cache.prepare(loaded); ok {
		if err = e.compileIn(ctx, module, dir); err == nil {
			cache.store(dir, loaded)
			return loaded, nil
		}
		cache.abandon(dir)
	}
	if loaded.Cache == "" {
		loaded.Cache = CacheOff
	}
	return loaded, e.compileIn(ctx, module, "")
}

// compileIn compiles with the engine's cache in dir, or without one.
func (e *engine) compileIn(ctx context.Context, module []byte, dir string) error {
	cfg := e.config()
	if dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			return err
		}
		cfg = cfg.WithCompilationCache(cache)
	}
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	compiled, err := rt.CompileModule(ctx, module)
	if err != nil {
		_ = rt.Close(ctx)
		return fmt.Errorf("compile the module: %w", err)
	}
	e.runtime, e.compiled = rt, compiled
	return nil
}

// link offers the host's functions that the module imports, and no others.
func (e *engine) link(ctx context.Context) error {
	functions := map[string]map[string]hostFunc{
		wasmabi.HostModule: e.hostFunctions(),
		wasmabi.WASIModule: wasiFunctions(e),
	}
	for _, module := range []string{wasmabi.HostModule, wasmabi.WASIModule} {
		if err := e.linkModule(ctx, module, functions[module]); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) linkModule(ctx context.Context, module string, functions map[string]hostFunc) error {
	builder := e.runtime.NewHostModuleBuilder(module)
	signatures := wasmabi.Imports(module)
	used := false
	for _, def := range e.compiled.ImportedFunctions() {
		from, name, _ := def.Import()
		if from != module {
			continue
		}
		f, ok := functions[name]
		if !ok {
			return fmt.Errorf("no function %s.%s", module, name)
		}
		used = true
		builder.NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(f), valueTypes(signatures[name].Params), valueTypes(signatures[name].Results)).
			Export(name)
	}
	if !used {
		return nil
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func valueTypes(s string) []api.ValueType { return []api.ValueType(s) }

// hostFunc is a function of the host: arguments come in and results go out in stack.
type hostFunc func(ctx context.Context, m api.Module, stack []uint64)

// discard closes an instance and frees its memory; one that is not there is fine.
func (e *engine) discard(ctx context.Context, id uint32) {
	inst, ok := e.instances[id]
	if !ok {
		return
	}
	delete(e.instances, id)
	_ = inst.module.Close(ctx)
	inst.memory.free()
}

// allocator gives an instance its linear memory, which grows to so many pages.
func (inst *instance) allocator(pages uint32) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(capacity, limit uint64) experimental.LinearMemory {
		inst.memory = reserve(capacity, min(limit, uint64(pages)<<16))
		return inst.memory
	})
}
