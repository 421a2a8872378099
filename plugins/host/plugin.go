package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"paceline/core/digest"
	"paceline/plugins/lock"
	"paceline/plugins/wasmabi"
	"paceline/plugins/wasmworker"
)

// Module is a plugin's file as it was read: the bytes that were digested are the bytes that run.
type Module struct {
	Name     string         // as the run file names it, e.g. std/mlperf
	Path     string         // where the bytes came from, for messages
	Bytes    []byte         // not to be written to afterwards
	Expected *digest.SHA256 // the pinned digest; nil: none is known
}

// Plugin is one plugin whose digest, manifest and interface were checked. Its methods may be called concurrently.
type Plugin struct {
	name     string
	digest   digest.SHA256
	size     int64
	manifest *lock.Manifest
	log      func(Line)
	native   *nativeCode // nil: a wasm module, or Go code in this process
	start    func(ctx context.Context, c *Component, inputs []*os.File) (runner, error)

	mu    sync.Mutex
	note  wasmworker.Loaded // of the first worker
	spare *worker           // a worker without inputs that nobody uses
	gone  bool
	open  map[*Component]struct{}
}

// Load checks a module and reads its manifest; no guest code runs yet. Errors are of type *Error.
func (h *Host) Load(m Module) (*Plugin, error) {
	p := &Plugin{name: m.Name, digest: digest.Of(m.Bytes), size: int64(len(m.Bytes)), log: h.opts.Log, open: map[*Component]struct{}{}}
	if m.Expected != nil && *m.Expected != p.digest {
		return nil, &Error{Plugin: m.Name, Cause: Digest, Path: m.Path, Expected: m.Expected.String(), Found: p.digest.String()}
	}
	manifest, err := Inspect(m.Bytes)
	if err != nil {
		e := &Error{Plugin: m.Name, Cause: Interface, Path: m.Path, Err: err}
		if abi, ok := errors.AsType[*wasmabi.InterfaceError](err); ok {
			e.Found, e.Expected = abi.Found, abi.Supported
		}
		if m.Path != "" {
			e.Text = m.Path
		}
		return nil, e
	}
	p.manifest = manifest
	p.start = func(ctx context.Context, c *Component, inputs []*os.File) (runner, error) {
		return h.startWorker(ctx, p, m.Bytes, c, inputs)
	}
	return p, nil
}

// Inspect checks a module's outside against the plugin interface and gives its manifest, without running anything.
func Inspect(module []byte) (*lock.Manifest, error) {
	file, err := wasmabi.Parse(module)
	if err != nil {
		return nil, err
	}
	if err := wasmabi.Check(file, wasmabi.Rules{}); err != nil {
		return nil, err
	}
	manifest, err := lock.ParseManifest(file.Sections(wasmabi.ManifestSection)[0])
	if err != nil {
		return nil, err
	}
	if len(manifest.Native) > 0 {
		return nil, errors.New("the manifest is that of a native plugin, and the file is a wasm module")
	}
	return manifest, wasmabi.Check(file, wasmabi.Rules{Pure: manifest.Pure()})
}

// Name is the plugin's name as the run file has it.
func (p *Plugin) Name() string { return p.name }

// Digest is the digest of the very bytes that run.
func (p *Plugin) Digest() digest.SHA256 { return p.digest }

// Size is the number of those bytes.
func (p *Plugin) Size() int64 { return p.size }

// Manifest is the plugin's manifest; it must not be written to.
func (p *Plugin) Manifest() *lock.Manifest { return p.manifest }

// Cache tells what the compile cache did for the first worker, with a note for people where it could not be used as it
// should; it is empty before a worker was started.
func (p *Plugin) Cache() (use, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.note.Cache), p.note.Note
}

// Close closes the plugin's components and ends its workers.
func (p *Plugin) Close() error {
	p.mu.Lock()
	p.gone = true
	all := make([]*Component, 0, len(p.open))
	for c := range p.open {
		all = append(all, c)
	}
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
	if spare != nil {
		spare.stop()
	}
	return nil
}

// overhead is what a worker may occupy beside its guests' memory: compiled code, the call stack (up to 200 MiB while it
// grows), the buffers of a request and a reply, and the runtime.
const overhead = 512 << 20

// startWorker starts a process and loads the module, or takes the plugin's spare one.
func (h *Host) startWorker(ctx context.Context, p *Plugin, module []byte, c *Component, inputs []*os.File) (runner, error) {
	if len(inputs) == 0 {
		if w := p.takeSpare(c); w != nil {
			return w, nil
		}
	}
	proc, err := h.spawn(inputs)
	if err != nil {
		return nil, &Error{Cause: Start, Err: err}
	}
	w := newWorker(proc)
	w.log, w.cut = c.logLine, c.logCut
	limits := c.opts.Limits
	head := wasmworker.Load{Digest: p.digest, Mode: h.Mode(), Pure: p.manifest.Pure(), MemoryPages: limits.Pages(),
		MaxReply: lock.MaxReply, LogBytes: limits.Log, CacheDir: h.opts.CacheDir, CPUMillis: uint32(limits.Open.Milliseconds())}
	for _, in := range c.opts.Inputs {
		head.InputSizes = append(head.InputSizes, in.Size)
	}
	loaded, err := w.load(ctx, head, module, within(limits.Open, limits.Memory+overhead))
	if err != nil {
		w.stop()
		return nil, err
	}
	p.noteLoaded(loaded)
	return w, nil
}

func (p *Plugin) noteLoaded(loaded wasmworker.Loaded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note.Cache == "" {
		p.note = loaded
	}
}

// takeSpare gives the spare worker to a component with the limits that it was loaded with.
func (p *Plugin) takeSpare(c *Component) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.spare
	if w == nil || !sharesWorkers(c) {
		return nil
	}
	p.spare = nil
	if !w.alive() {
		return nil
	}
	w.log, w.cut = c.logLine, c.logCut
	return w
}

// offerSpare keeps a worker for the next component; it reports whether it did.
func (p *Plugin) offerSpare(c *Component, r runner) bool {
	w, ok := r.(*worker)
	if !ok || len(c.opts.Inputs) > 0 || !w.alive() || c.logUsed() || !sharesWorkers(c) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.spare != nil {
		return false
	}
	w.log, w.cut = nil, nil
	p.spare = w
	return true
}

// sharesWorkers reports whether a component has the limits that a worker keeps from its loading at their defaults.
func sharesWorkers(c *Component) bool {
	d := lock.DefaultLimits()
	return c.opts.Limits.Memory == d.Memory && c.opts.Limits.Log == d.Log
}

// String names the plugin with its version and digest.
func (p *Plugin) String() string {
	return fmt.Sprintf("%s %s (sha256 %s)", p.name, p.manifest.Version, p.digest)
}
