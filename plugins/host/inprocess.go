package host

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"paceline/core/digest"
	"paceline/core/seed"
	"paceline/plugins/lock"
)

// InProcess makes a plugin of Go code in this process, for tests and as the baseline that transports are compared with.
// Each instance calls register, which registers fresh servers of the contract's generated services. Messages are encoded
// and decoded as for any other plugin and sizes are checked; time and memory are not bounded, and a panic counts as a trap.
func InProcess(name string, manifest *lock.Manifest, log func(Line), register func(grpc.ServiceRegistrar)) *Plugin {
	p := &Plugin{name: name, digest: digest.Of([]byte(name)), manifest: manifest, log: log, open: map[*Component]struct{}{}}
	p.start = func(context.Context, *Component, []*os.File) (runner, error) {
		return &direct{register: register, instances: map[uint32]registry{}}, nil
	}
	return p
}

// direct is a runner over Go code.
type direct struct {
	register  func(grpc.ServiceRegistrar)
	instances map[uint32]registry
}

// registry holds the servers of one instance by method number.
type registry map[uint32]handler

type handler struct {
	server any
	serve  grpc.MethodHandler
}

// RegisterService implements grpc.ServiceRegistrar.
func (r registry) RegisterService(desc *grpc.ServiceDesc, server any) {
	for _, m := range desc.Methods {
		if known, err := methodOf("/" + desc.ServiceName + "/" + m.MethodName); err == nil {
			r[known.number] = handler{server: server, serve: m.Handler}
		}
	}
}

func (d *direct) instantiate(_ context.Context, id uint32, _ seed.Seed, _ bounds) error {
	r := registry{}
	d.register(r)
	d.instances[id] = r
	return nil
}

func (d *direct) call(ctx context.Context, id uint32, m method, request []byte, _ bounds) (reply []byte, err error) {
	r, ok := d.instances[id]
	if !ok {
		return nil, &Error{Cause: Died, Text: "no such instance"}
	}
	h, ok := r[m.number]
	if !ok {
		return statusReply(status.New(codes.Unimplemented, m.name+" is not implemented")), nil
	}
	defer func() {
		if p := recover(); p != nil {
			reply, err = nil, &Error{Cause: Trap, Text: fmt.Sprint(p)}
		}
	}()
	decode := func(v any) error { return proto.Unmarshal(request, v.(proto.Message)) } //nolint:errcheck // grpc hands over messages
	out, err := h.serve(h.server, ctx, decode, nil)
	if err != nil {
		if e, ok := err.(*Error); ok { //nolint:errorlint // a server may play a failure of its transport
			return nil, e
		}
		return statusReply(status.Convert(err)), nil
	}
	reply, err = proto.MarshalOptions{Deterministic: true}.MarshalAppend([]byte{0}, out.(proto.Message)) //nolint:errcheck // and takes them back
	if err == nil && len(reply) > lock.MaxReply {
		err = &Error{Cause: BigReply, Found: bytesText(uint64(len(reply))), Limit: bytesText(lock.MaxReply)}
	}
	return reply, err
}

func statusReply(s *status.Status) []byte { return append([]byte{1, byte(s.Code())}, s.Message()...) }

func (d *direct) discard(id uint32) { delete(d.instances, id) }

func (d *direct) holds(uint32) bool { return true }

func (d *direct) alive() bool { return true }

func (d *direct) stop() {}
