package wasmworker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
)

// Exit codes of a worker.
const (
	exitOK      = 0
	exitUsage   = 2
	exitFrame   = 3
	exitOrphan  = 4
	exitPrepare = 5
)

// maxRequest bounds a request frame: a module or a message, whichever is larger. The parent enforces the exact limits.
const maxRequest = 1 << 30

// Main runs a worker until its standard input ends and returns its exit code. Args are what follows the command's name:
// the process id of the parent. It changes limits and priority of the whole process, so nothing else may run in it.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		_, _ = fmt.Fprintln(stderr, "plugin-worker is started by the runner itself")
		return exitUsage
	}
	parent, err := strconv.Atoi(args[0])
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "plugin-worker: the parent's process id is no number")
		return exitUsage
	}
	runtime.GOMAXPROCS(1)
	if err := prepare(); err != nil {
		_, _ = fmt.Fprintln(stderr, "plugin-worker: prepare the process:", err)
		return exitPrepare
	}
	if os.Getppid() != parent {
		return exitOrphan // the parent ended before this process could watch it
	}
	w := &worker{out: bufio.NewWriterSize(stdout, 64<<10), cpu: newCPUBackstop()}
	if err := w.serve(context.Background(), bufio.NewReaderSize(stdin, 64<<10)); err != nil {
		_, _ = fmt.Fprintln(stderr, "plugin-worker:", err)
		return exitFrame
	}
	return exitOK
}

// worker is one process's state. Everything happens on one goroutine.
type worker struct {
	out    *bufio.Writer
	cpu    *cpuBackstop
	engine *engine
	buf    []byte // reused for request bodies
}

// keepBuffer is the largest request buffer that is kept between calls.
const keepBuffer = 1 << 20

func (w *worker) serve(ctx context.Context, in io.Reader) error {
	for {
		kind, size, err := ReadHead(in, maxRequest)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if cap(w.buf) < size || cap(w.buf) > keepBuffer && size <= keepBuffer {
			w.buf = make([]byte, size)
		}
		body := w.buf[:size]
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		if err := w.handle(ctx, kind, body); err != nil {
			return err
		}
		if err := w.out.Flush(); err != nil {
			return nil //nolint:nilerr // the parent is gone
		}
	}
}

// handle serves one request and writes the frame that ends it. Its error means that the frame is malformed.
func (w *worker) handle(ctx context.Context, kind byte, body []byte) error {
	switch kind {
	case KindLoad:
		return w.load(ctx, body)
	case KindInstantiate:
		var req Instantiate
		if err := json.Unmarshal(body, &req); err != nil {
			return fmt.Errorf("%w: %w", ErrFrame, err)
		}
		if w.engine == nil {
			return ErrFrame
		}
		return w.end(w.engine.instantiate(ctx, req), nil)
	case KindCall:
		return w.call(ctx, body)
	case KindClose:
		id, _, err := takeU32(body)
		if err != nil || w.engine == nil {
			return ErrFrame
		}
		w.engine.discard(ctx, id)
		return w.end(nil, nil)
	}
	return ErrFrame
}

func (w *worker) load(ctx context.Context, body []byte) error {
	n, rest, err := takeU32(body)
	if err != nil || uint64(n) > uint64(len(rest)) || w.engine != nil {
		return ErrFrame
	}
	var req Load
	if err := json.Unmarshal(rest[:n], &req); err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	w.cpu.extend(req.CPUMillis)
	// The module outlives this frame's buffer inside the engine, so it gets its own bytes by giving the buffer away.
	w.buf = nil
	eng, loaded, err := newEngine(ctx, req, rest[n:], w)
	if err != nil {
		return w.end(err, nil)
	}
	w.engine = eng
	return w.end(nil, loaded)
}

func (w *worker) call(ctx context.Context, body []byte) error {
	if len(body) < CallHead || w.engine == nil {
		return ErrFrame
	}
	id, rest, _ := takeU32(body)
	method, rest, _ := takeU32(rest)
	limit, message, _ := takeU32(rest)
	w.cpu.extend(limit)
	err := w.engine.call(ctx, id, method, message)
	if err != nil {
		w.engine.discard(ctx, id)
		return w.end(err, nil)
	}
	return nil // the engine has written the reply
}

// end writes the frame that ends a request: a failure, or OK with a document.
func (w *worker) end(err error, doc any) error {
	if w.engine != nil {
		w.engine.logs.report()
	}
	if err != nil {
		failure, ok := errors.AsType[*Failure](err)
		if !ok {
			failure = &Failure{Fault: FaultInternal, Text: err.Error()}
		}
		text, err := json.Marshal(failure)
		if err != nil {
			return err
		}
		w.write(KindFailure, text)
		return nil
	}
	if doc == nil {
		w.write(KindOK)
		return nil
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	w.write(KindOK, text)
	return nil
}

// write puts a frame into the buffer. A broken pipe shows at the flush, which ends the worker.
func (w *worker) write(kind byte, parts ...[]byte) {
	_ = WriteFrame(w.out, kind, parts...)
}
