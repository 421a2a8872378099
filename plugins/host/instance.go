package host

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// Instance is one instance of a component; it is a grpc.ClientConnInterface. Calls may come from several goroutines and
// run one after another.
type Instance struct {
	mu    sync.Mutex
	slot  *slot
	run   runner
	id    uint32
	gone  bool
	owned bool // by a caller of Fresh, who holds the slot
	kept  bool // it outlives the caller of Fresh, unless a call failed

	scratch []byte // of the last request
}

// errStreams says that the contract has unary calls only.
var errStreams = errors.New("the plugin contract has no streams")

// errGone says that an earlier call spoiled the instance.
var errGone = errors.New("the instance was discarded after an earlier failure")

// Invoke implements grpc.ClientConnInterface.
func (i *Instance) Invoke(ctx context.Context, full string, args, reply any, _ ...grpc.CallOption) error {
	m, err := methodOf(full)
	if err != nil {
		return err
	}
	in, ok1 := args.(proto.Message)
	out, ok2 := reply.(proto.Message)
	if !ok1 || !ok2 {
		return errors.New("plugin calls take protobuf messages")
	}
	request, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(i.takeScratch(), in)
	if err != nil {
		return err
	}
	answer, err := i.send(ctx, m, request)
	if err != nil {
		return err // whoever carried the request may still read it
	}
	i.giveScratch(request)
	if err := proto.Unmarshal(answer, out); err != nil {
		i.discard()
		// The library varies the spaces of its texts from build to build; what goes into files must not.
		text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
		return i.slot.c.named(&Error{Cause: Malformed, Text: "no message of the contract: " + text}, m.name)
	}
	return nil
}

// maxScratch bounds the buffer that an instance keeps for its next request.
const maxScratch = 2 << 20

// takeScratch gives the buffer of an earlier request, empty, to one caller.
func (i *Instance) takeScratch() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	b := i.scratch
	i.scratch = nil
	return b[:0]
}

func (i *Instance) giveScratch(b []byte) {
	if cap(b) > maxScratch {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.scratch = b
}

// NewStream implements grpc.ClientConnInterface: it refuses.
func (i *Instance) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errStreams
}

// send runs one call on message bytes. Any failure but the plugin's own status discards the instance.
func (i *Instance) send(ctx context.Context, m method, request []byte) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c := i.slot.c
	switch {
	case i.gone:
		return nil, c.named(errGone, m.name)
	case len(request) > m.largest():
		return nil, c.named(&Error{Cause: BigRequest, Found: bytesText(uint64(len(request))), Limit: bytesText(uint64(m.largest()))}, m.name)
	}
	reply, err := i.run.call(ctx, i.id, m, request, i.slot.bounds(m.limit(c.opts.Limits)))
	if err == nil {
		reply, err = open(reply)
	}
	if fatal(err) || err != nil && i.kept {
		i.drop()
	}
	if err != nil {
		return nil, c.named(err, m.name)
	}
	return reply, nil
}

// open looks at a reply's first byte. The worker has checked it already; a worker is not trusted.
func open(reply []byte) ([]byte, error) {
	switch {
	case len(reply) > 0 && reply[0] == 0:
		return reply[1:], nil
	case len(reply) > 1 && reply[0] == 1:
		return nil, &Error{Cause: Status, Code: uint32(reply[1]), Text: text(reply[2:])}
	}
	return nil, &Error{Cause: Malformed, Text: "the reply has no first byte that means something"}
}

// bounds are those of a call while the slot's instances are alive.
func (s *slot) bounds(cpu time.Duration) bounds {
	return within(cpu, s.c.opts.Limits.Memory*max(s.live, 1)+overhead)
}

// discard closes the instance.
func (i *Instance) discard() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drop()
}

func (i *Instance) drop() {
	if i.gone {
		return
	}
	i.gone = true
	if i.run == i.slot.run {
		i.slot.live--
		i.run.discard(i.id)
	}
}

// Close closes an instance of Fresh and frees its worker. A pooled instance cannot be closed by callers.
func (i *Instance) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.kept {
		i.drop()
	}
	i.kept = false
	if i.owned {
		i.owned = false
		i.slot.c.release(i.slot)
	}
	return nil
}

// lend gives a pooled instance to a caller of Fresh.
func (i *Instance) lend() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.owned, i.kept = true, true
}

// pooled is a component's Conn.
type pooled struct{ c *Component }

// Invoke implements grpc.ClientConnInterface.
func (p pooled) Invoke(ctx context.Context, full string, args, reply any, opts ...grpc.CallOption) error {
	s, err := p.c.acquire(ctx)
	if err != nil {
		return err
	}
	defer p.c.release(s)
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.pooled.Invoke(ctx, full, args, reply, opts...)
}

// NewStream implements grpc.ClientConnInterface: it refuses.
func (p pooled) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errStreams
}
