package host

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"paceline/core/seed"
	"paceline/plugins/lock"
	"paceline/plugins/wasmworker"
)

// worker is a runner over one worker process.
type worker struct {
	p     *process
	watch *watch
	log   func(level int, text string)
	cut   func(lines, bytes uint64)
}

func newWorker(p *process) *worker { return &worker{p: p, watch: newWatch(p)} }

// load sends the module and waits until it is compiled.
func (w *worker) load(ctx context.Context, head wasmworker.Load, module []byte, b bounds) (wasmworker.Loaded, error) {
	var loaded wasmworker.Loaded
	doc, err := json.Marshal(head)
	if err != nil {
		return loaded, err
	}
	body, err := w.exchange(ctx, b, wasmworker.KindOK, wasmworker.KindLoad, wasmworker.U32(uint32(len(doc))), doc, module)
	if err != nil {
		return loaded, err
	}
	if err := json.Unmarshal(body, &loaded); err != nil {
		return loaded, w.broken(err)
	}
	return loaded, nil
}

func (w *worker) instantiate(ctx context.Context, id uint32, s seed.Seed, b bounds) error {
	doc, err := json.Marshal(wasmworker.Instantiate{Instance: id, Seed: s})
	if err != nil {
		return err
	}
	_, err = w.exchange(ctx, b, wasmworker.KindOK, wasmworker.KindInstantiate, doc)
	return err
}

func (w *worker) call(ctx context.Context, id uint32, m method, request []byte, b bounds) ([]byte, error) {
	var head [wasmworker.CallHead]byte
	wasmworker.PutCallHead(&head, id, m.number, uint32(b.cpu/time.Millisecond))
	return w.exchange(ctx, b, wasmworker.KindReply, wasmworker.KindCall, head[:], request)
}

func (w *worker) discard(id uint32) {
	if !w.alive() {
		return
	}
	const closing = 10 * time.Second // it only unmaps memory
	_, _ = w.exchange(context.Background(), within(closing, 1<<62), wasmworker.KindOK, wasmworker.KindClose, wasmworker.U32(id))
}

func (w *worker) holds(uint32) bool { return true }

func (w *worker) alive() bool { return !w.watch.condemned() && w.p.alive() }

func (w *worker) stop() {
	w.p.kill()
	<-w.p.exited
}

// exchange sends one frame and reads frames until one ends the request. Whatever goes wrong with the frames themselves
// ends the worker.
func (w *worker) exchange(ctx context.Context, b bounds, want, kind byte, parts ...[]byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	call := w.watch.begin(b)
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() {
			w.watch.condemn(call, &Error{Cause: Died, Text: "the call was given up", Err: context.Cause(ctx)})
		})
		defer stop()
	}
	got, body, err := w.talk(kind, parts)
	verdict := w.watch.end()
	switch {
	case verdict != nil:
		<-w.p.exited
		return nil, verdict
	case err != nil:
		return nil, w.broken(err)
	case got == want:
		return body, nil
	case got == wasmworker.KindFailure:
		return nil, w.failure(body)
	}
	return nil, w.broken(fmt.Errorf("%w: kind %q", wasmworker.ErrFrame, got))
}

// talk writes a frame and reads up to the frame that ends the request.
func (w *worker) talk(kind byte, parts [][]byte) (byte, []byte, error) {
	if err := wasmworker.WriteFrame(w.p.write, kind, parts...); err != nil {
		return 0, nil, err
	}
	if err := w.p.write.Flush(); err != nil {
		return 0, nil, err
	}
	for {
		got, size, err := wasmworker.ReadHead(w.p.read, lock.MaxReply+wasmworker.Slack)
		if err != nil {
			return 0, nil, err
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(w.p.read, body); err != nil {
			return 0, nil, err
		}
		switch got {
		case wasmworker.KindLog:
			w.logged(body)
		case wasmworker.KindDropped:
			w.dropped(body)
		default:
			return got, body, nil
		}
	}
}

func (w *worker) logged(body []byte) {
	if len(body) >= 5 && w.log != nil {
		w.log(int(min(body[4], wasmworker.LevelError)), strings.ToValidUTF8(string(body[5:]), "\uFFFD"))
	}
}

func (w *worker) dropped(body []byte) {
	if len(body) == 20 && w.cut != nil {
		w.cut(binary.LittleEndian.Uint64(body[4:]), binary.LittleEndian.Uint64(body[12:]))
	}
}

// broken ends a worker that cannot be talked to any more and says how it ended.
func (w *worker) broken(err error) error {
	if errors.Is(err, wasmworker.ErrFrame) {
		w.stop()
		return &Error{Cause: Died, Text: "the worker sent what cannot be understood", Err: err}
	}
	w.stop()
	return &Error{Cause: Died, Text: w.p.epitaph()}
}

// failure translates what the worker says of a request that failed.
func (w *worker) failure(body []byte) error {
	var f wasmworker.Failure
	if err := json.Unmarshal(body, &f); err != nil {
		return w.broken(fmt.Errorf("%w: %w", wasmworker.ErrFrame, err))
	}
	e := &Error{Text: f.Text}
	switch f.Fault {
	case wasmworker.FaultTrap:
		e.Cause = Trap
	case wasmworker.FaultExit:
		e.Cause, e.Code = Exit, f.Code
	case wasmworker.FaultOversized:
		e.Cause, e.Text = BigReply, ""
		e.Found, e.Limit = bytesText(f.Found), bytesText(f.Limit)
	case wasmworker.FaultMalformed:
		e.Cause = Malformed
	case wasmworker.FaultMemory:
		e.Cause, e.Found = Memory, "a request of "+bytesText(f.Found)
		if f.Grown {
			e.Found = "a guest that wanted " + bytesText(f.Found)
		}
	case wasmworker.FaultRefused:
		e.Cause = Interface
	default:
		w.stop()
		e.Cause = Died
	}
	return e
}

func bytesText(n uint64) string { return fmt.Sprintf("%d bytes", n) }
