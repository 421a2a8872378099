package native

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"paceline/plugins/lock"
)

// message holds the bytes of one message; the services are those of the contract, and their messages are coded elsewhere.
type message struct{ bytes []byte }

// rawCodec passes bytes through as if they were coded messages.
type rawCodec struct{}

var errNotBytes = errors.New("only messages in bytes are sent here")

// Marshal implements encoding.CodecV2.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*message)
	if !ok {
		return nil, errNotBytes
	}
	return mem.BufferSlice{mem.SliceBuffer(m.bytes)}, nil
}

// Unmarshal implements encoding.CodecV2. A reply gets its first byte as in the wasm ABI: 0 is a message.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*message)
	if !ok {
		return errNotBytes
	}
	m.bytes = make([]byte, 1+data.Len())
	data.CopyTo(m.bytes[1:])
	return nil
}

// Name implements encoding.CodecV2: the other side sees messages of protobuf.
func (rawCodec) Name() string { return "proto" }

// Call runs one method of the contract, by its full gRPC name, within a limit on the wall clock. The reply begins with a
// byte 0. An error is a *Failure; after any but a status and a request that was not sent the process is gone.
func (p *Process) Call(ctx context.Context, method string, request []byte, limit time.Duration) ([]byte, error) {
	if n := len(request); n > lock.MaxRequest {
		return nil, &Failure{Fault: FaultRequest, Found: uint64(n)}
	}
	if !p.Alive() {
		return nil, &Failure{Fault: FaultDied, Text: p.Epitaph()}
	}
	// The plugin is not told of the deadline: it would race with ours, and its own status would hide whose it was.
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(errTooLong) })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer stop()
	var reply message
	err := p.conn.Invoke(call, method, &message{request}, &reply, grpc.ForceCodecV2(rawCodec{}))
	if err == nil {
		return reply.bytes, nil
	}
	return nil, p.failure(call, err)
}

type tooLong struct{}

func (tooLong) Error() string { return "the call took longer than it may" }

var errTooLong = tooLong{}

// failure tells what an error of a call was, and ends the process unless it can go on.
func (p *Process) failure(call context.Context, err error) error {
	s := status.Convert(err)
	found, large := oversized(s)
	switch cause := context.Cause(call); {
	case cause == errTooLong:
		p.kill()
		return &Failure{Fault: FaultTimeout}
	case cause != nil:
		p.kill()
		return &Failure{Fault: FaultCancelled, Err: cause}
	case large:
		p.kill()
		return &Failure{Fault: FaultReply, Found: found}
	case s.Code() == codes.Unavailable && p.lost(s):
		p.kill()
		return &Failure{Fault: FaultDied, Text: p.Epitaph()}
	}
	return &Failure{Fault: FaultStatus, Code: uint32(s.Code()), Text: s.Message()}
}

// lost tells a connection that broke from a plugin that says that something is unavailable: the process ends too, or the
// library's own words say so.
func (p *Process) lost(s *status.Status) bool {
	for _, words := range []string{"error reading from server", "connection error", "transport is closing", "the connection is draining", "error reading server preface"} {
		if strings.Contains(s.Message(), words) {
			p.settled(time.Second)
			return true
		}
	}
	return p.settled(100 * time.Millisecond)
}

// settled waits a little for a process that is ending to end by itself, so that its own end is told and not ours.
func (p *Process) settled(within time.Duration) bool {
	select {
	case <-p.guard.exited:
		return true
	case <-time.After(within):
		return false
	}
}

// oversized finds out whether a status is the library's own about a reply above the limit.
func oversized(s *status.Status) (found uint64, ok bool) {
	if s.Code() != codes.ResourceExhausted {
		return 0, false
	}
	var limit uint64
	n, _ := fmt.Sscanf(s.Message(), "grpc: received message larger than max (%d vs. %d)", &found, &limit)
	return found, n == 2 && limit == lock.MaxReply
}
