package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"paceline/core/digest"
	"paceline/core/seed"
	"paceline/plugins/lock"
	"paceline/plugins/native"
)

// NativeModule is a native plugin as its files were read: the bytes that were digested are the bytes that run. Whoever loads
// it has made sure that the user allows it to run outside of the sandbox.
type NativeModule struct {
	Name     string // as the run file names it
	Path     string // of the executable, for messages
	Code     []byte // of the executable; not to be written to afterwards
	Manifest *lock.Manifest
	Granted  []lock.Capability
}

// nativeCode is what a native plugin is started from.
type nativeCode struct {
	host       *Host
	file       string
	code       []byte
	containers bool
	mtls       bool
}

// LoadNative checks an executable against its manifest; it is not started yet. Errors are of type *Error.
func (h *Host) LoadNative(m NativeModule) (*Plugin, error) {
	p := &Plugin{name: m.Name, digest: digest.Of(m.Code), size: int64(len(m.Code)), manifest: m.Manifest, log: h.opts.Log, open: map[*Component]struct{}{}}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	said, ok := m.Manifest.Executable(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return nil, &Error{Plugin: m.Name, Cause: Interface, Native: true, Path: m.Path, Text: "its manifest has no executable for " + platform}
	}
	if said.SHA256 != p.digest || said.Size > 0 && said.Size != p.size {
		return nil, &Error{Plugin: m.Name, Cause: Digest, Native: true, Path: m.Path, Expected: said.SHA256.String(), Found: p.digest.String()}
	}
	p.native = &nativeCode{host: h, file: said.File, code: m.Code, mtls: m.Manifest.MTLS,
		containers: slices.Contains(m.Granted, lock.CapabilityContainers)}
	p.start = func(_ context.Context, c *Component, inputs []*os.File) (runner, error) {
		return &nativeRunner{component: c, inputs: inputs, processes: map[uint32]*native.Process{}}, nil
	}
	return p, nil
}

// InputPath is the path under which a native plugin finds the input with that handle; other plugins have none.
func (p *Plugin) InputPath(handle int) string {
	if p.native == nil {
		return ""
	}
	return native.InputPath(handle)
}

// Measuring tells the host whether a run is being measured: meanwhile no native plugin is started, so one that has ended
// stays away.
func (h *Host) Measuring(on bool) { h.measuring.Store(on) }

// keeps reports whether Fresh gives the process that is there: a native judge's, and any while a run is measured.
func (c *Component) keeps() bool {
	if c.plugin.native == nil {
		return false
	}
	about, ok := c.plugin.manifest.Component(c.opts.Name)
	return !ok || about.Kind != lock.KindWorkload || c.plugin.native.host.measuring.Load()
}

// WorkDir is the private folder of a native plugin's process, which goes with it; other instances have none.
func (i *Instance) WorkDir() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n, ok := i.run.(*nativeRunner); ok && n.processes[i.id] != nil {
		return n.processes[i.id].WorkDir()
	}
	return ""
}

// nativeRunner is a runner over a native plugin: each instance is a process of its own.
type nativeRunner struct {
	component *Component
	inputs    []*os.File
	processes map[uint32]*native.Process
}

func (n *nativeRunner) instantiate(ctx context.Context, id uint32, _ seed.Seed, b bounds) error {
	code := n.component.plugin.native
	if code.host.measuring.Load() {
		return &Error{Cause: Died, Native: true, Text: "it is not started again while the run is measured"}
	}
	p, err := native.Start(ctx, native.Config{
		Guard: code.host.opts.Guard, File: code.file, Code: code.code, Inputs: n.inputs, Start: b.cpu,
		MTLS: code.mtls, Containers: code.containers, Label: code.host.opts.ContainerLabel, Log: n.component.logLine, Cut: n.component.logCut,
	})
	if err != nil {
		return nativeError(err, b.cpu)
	}
	if !code.host.adopt(p) {
		p.Stop()
		return ErrClosed
	}
	n.processes[id] = p
	return nil
}

func (n *nativeRunner) call(ctx context.Context, id uint32, m method, request []byte, b bounds) ([]byte, error) {
	p := n.processes[id]
	if p == nil {
		return nil, &Error{Cause: Died, Native: true, Text: "no such instance"}
	}
	reply, err := p.Call(ctx, fullName(m), request, b.cpu)
	if err != nil {
		return nil, nativeError(err, b.cpu)
	}
	return reply, nil
}

func (n *nativeRunner) discard(id uint32) {
	if p := n.processes[id]; p != nil {
		delete(n.processes, id)
		p.Stop()
	}
}

func (n *nativeRunner) holds(id uint32) bool {
	p := n.processes[id]
	return p != nil && p.Alive()
}

func (n *nativeRunner) alive() bool { return true }

func (n *nativeRunner) stop() {
	var all []*native.Process
	for id, p := range n.processes {
		all = append(all, p)
		delete(n.processes, id)
	}
	stopAll(all)
}

// stopAll stops plugins side by side: each may take a moment.
func stopAll(all []*native.Process) {
	var done sync.WaitGroup
	for _, p := range all {
		done.Go(p.Stop)
	}
	done.Wait()
}

// adopt keeps an eye on a started plugin until it has ended; it refuses where the host was closed meanwhile.
func (h *Host) adopt(p *native.Process) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.starts.Add(1)
	h.natives[p] = struct{}{}
	h.ends.Go(func() {
		<-p.Exited()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.natives, p)
		h.deadCPU.Add(int64(p.CPUAtExit()))
	})
	return true
}

// nativeCPU is the CPU time of native plugins that run, with their guards; h.mu is held.
func (h *Host) nativeCPU() (total time.Duration) {
	for p := range h.natives {
		guard, plugin := p.PIDs()
		for _, pid := range []int{guard, plugin} {
			if used, ok := cpuTime(pid); ok {
				total += used
			}
		}
	}
	return total
}

// nativeError translates a failure of a native plugin.
func nativeError(err error, limit time.Duration) error {
	f, ok := errors.AsType[*native.Failure](err)
	if !ok {
		return err
	}
	e := &Error{Native: true, Text: f.Text, Err: f.Err}
	switch f.Fault {
	case native.FaultStart:
		e.Cause = Start
	case native.FaultInterface:
		e.Cause = Interface
	case native.FaultTimeout:
		e.Cause, e.Limit = WallTimeout, limit.String()
	case native.FaultCancelled:
		e.Cause, e.Text = Died, "the call was given up"
	case native.FaultRequest:
		e.Cause, e.Found, e.Limit = BigRequest, bytesText(f.Found), bytesText(lock.MaxRequest)
	case native.FaultReply:
		e.Cause, e.Found, e.Limit = BigReply, bytesText(f.Found), bytesText(lock.MaxReply)
	case native.FaultStatus:
		e.Cause, e.Code, e.Text = Status, f.Code, text([]byte(f.Text[:min(len(f.Text), maxStatus)]))
	case native.FaultDied:
		e.Cause = Died
	default:
		return fmt.Errorf("native plugin: %w", err)
	}
	return e
}

// maxStatus bounds the text of a plugin's own error, as in the wasm ABI.
const maxStatus = 4 << 10
