package host

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"paceline/plugins/lock"
	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// Options configure a Host. The zero value is usable in a program that serves wasmworker.Command.
type Options struct {
	// Worker is the program and its first arguments that run a worker; the parent's process id is added. Empty: this
	// program with wasmworker.Command.
	Worker []string
	// Guard is the program and its first arguments that run the guard of a native plugin. Empty: this program with
	// native.Command.
	Guard []string
	// CacheDir keeps compiled code; empty: paceline/wasm in the user's cache folder.
	CacheDir string
	// NoCache compiles every time.
	NoCache bool
	// Interpret runs guests in the interpreter instead of compiled.
	Interpret bool
	// Log receives the guests' log lines. It is called from the goroutines of the calls, one line at a time per component.
	Log func(Line)
	// ContainerLabel is what containers of native plugins must carry, key=value, so that none is left behind.
	ContainerLabel string
}

// Line is one log line of a guest.
type Line struct {
	Plugin    string
	Component string
	Level     int // 0 debug, 1 information, 2 warning, 3 error
	Text      string
}

// Host starts worker processes. All methods may be called concurrently.
type Host struct {
	opts    Options
	start   chan func()
	stopped chan struct{}

	mu        sync.Mutex
	closed    bool
	workers   map[*process]struct{}
	natives   map[*native.Process]struct{}
	ends      sync.WaitGroup // of those that note the end of a process
	measuring atomic.Bool    // no native plugin is started
	starts    atomic.Int64
	deadCPU   atomic.Int64 // nanoseconds of workers that have ended
}

// ErrClosed says that the Host was closed.
var ErrClosed = errors.New("the plugin host is closed")

// New makes a Host. It must be closed.
func New(opts Options) (*Host, error) {
	if len(opts.Worker) == 0 {
		self, err := selfPath()
		if err != nil {
			return nil, err
		}
		opts.Worker = []string{self, wasmworker.Command}
	}
	if len(opts.Guard) == 0 {
		opts.Guard = []string{opts.Worker[0], native.Command}
	}
	if opts.CacheDir == "" && !opts.NoCache {
		if dir, err := os.UserCacheDir(); err == nil {
			opts.CacheDir = filepath.Join(dir, "paceline", "wasm")
		}
	}
	if opts.NoCache {
		opts.CacheDir = ""
	}
	h := &Host{opts: opts, start: make(chan func()), stopped: make(chan struct{}), workers: map[*process]struct{}{}, natives: map[*native.Process]struct{}{}}
	go h.starter()
	return h, nil
}

// starter runs on a thread of its own until the Host is closed: the system kills a worker when the thread that started it
// ends, and a thread that Go gives to other goroutines may end at any time. The thread ends with this goroutine, since it
// stays locked.
func (h *Host) starter() {
	defer close(h.stopped)
	runtime.LockOSThread()
	lowerThread()
	for f := range h.start {
		f()
	}
}

// Mode says how guests are run.
func (h *Host) Mode() wasmworker.Mode {
	if h.opts.Interpret {
		return wasmworker.Interpreter
	}
	return wasmworker.Compiler
}

// Engine is what runs guests, as the lock names it.
func (h *Host) Engine() lock.Engine {
	return lock.Engine{Name: wasmworker.EngineName, Version: wasmworker.EngineVersion, Mode: string(h.Mode())}
}

// CPU is the CPU time of all workers so far, those that have ended included.
func (h *Host) CPU() time.Duration {
	total := time.Duration(h.deadCPU.Load())
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.workers {
		if used, ok := cpuTime(p.pid()); ok {
			total += used
		}
	}
	return total + h.nativeCPU()
}

// Starts is the number of worker processes that were started.
func (h *Host) Starts() int64 { return h.starts.Load() }

// Workers is the number of worker processes and native plugins that are alive.
func (h *Host) Workers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	alive := 0
	for p := range h.workers {
		alive += running(p.exited)
	}
	for p := range h.natives {
		alive += running(p.Exited())
	}
	return alive
}

// running is 1 until a process has ended, then 0: that it has may be noted later.
func running(exited <-chan struct{}) int {
	select {
	case <-exited:
		return 0
	default:
		return 1
	}
}

// Close kills all workers and waits until they are gone and counted. Calls that are running fail.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		<-h.stopped
		return nil
	}
	h.closed = true
	all := make([]*process, 0, len(h.workers))
	for p := range h.workers {
		all = append(all, p)
	}
	plugins := slices.Collect(maps.Keys(h.natives))
	h.mu.Unlock()
	for _, p := range all {
		p.kill()
	}
	stopAll(plugins)
	h.ends.Wait()
	close(h.start)
	<-h.stopped
	return nil
}

// spawn starts a worker process on the starter's thread.
func (h *Host) spawn(inputs []*os.File) (*process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	args := append(append([]string{}, h.opts.Worker...), strconv.Itoa(os.Getpid()))
	var p *process
	var err error
	done := make(chan struct{})
	h.start <- func() {
		defer close(done)
		p, err = startProcess(args, inputs)
	}
	<-done
	if err != nil {
		return nil, err
	}
	h.starts.Add(1)
	h.workers[p] = struct{}{}
	h.ends.Go(func() {
		<-p.exited
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.workers, p)
		h.deadCPU.Add(int64(p.cpuAtExit()))
	})
	return p, nil
}
