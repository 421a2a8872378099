package native

import (
	"context"
	"errors"
	"sync"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of go-plugin's own services
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// server answers the calls of all services with one instance, one call after another.
type server struct {
	mu       sync.Mutex
	instance *sdk.Instance
}

// frame is a message in its bytes: the instance codes messages itself.
type frame struct{ bytes []byte }

// call answers one call. A panic of the component's code is not caught: it ends the process, as it ends a wasm instance.
func (s *server) call(method contract.Method, request []byte) (*frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := sdk.ParseReply(s.instance.Invoke(method, request))
	if coded, ok := errors.AsType[*sdk.Error](err); ok {
		return nil, status.Error(codes.Code(coded.Code), coded.Error())
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &frame{body}, nil
}

// registrar puts the services into go-plugin's server.
type registrar struct {
	plugin.NetRPCUnsupportedPlugin
	server *server
}

// GRPCServer implements plugin.GRPCPlugin.
func (r *registrar) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	for _, desc := range services() {
		s.RegisterService(&desc, r.server)
	}
	return nil
}

// GRPCClient implements plugin.GRPCPlugin.
func (r *registrar) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a plugin serves and calls nothing")
}

// services are those of the contract, with methods that pass bytes on.
func services() []grpc.ServiceDesc {
	service := func(name string, methods ...grpc.MethodDesc) grpc.ServiceDesc {
		return grpc.ServiceDesc{ServiceName: "paceline.plugin.v1." + name, HandlerType: (*any)(nil), Methods: methods}
	}
	return []grpc.ServiceDesc{
		service("Plugin", method("Describe", contract.MethodDescribe), method("Open", contract.MethodOpen),
			method("CheckInputs", contract.MethodCheckInputs)),
		service("Workload", method("Plan", contract.MethodPlan), method("Next", contract.MethodNext)),
		service("Validator", method("Preflight", contract.MethodPreflight), method("Check", contract.MethodCheck),
			method("FoldCheck", contract.MethodFoldCheck), method("ConcludeCheck", contract.MethodConcludeCheck)),
		service("Scorer", method("Score", contract.MethodScore), method("FoldScore", contract.MethodFoldScore),
			method("ConcludeScore", contract.MethodConcludeScore), method("Evaluate", contract.MethodEvaluate)),
		service("Counter", method("Count", contract.MethodCount)),
	}
}

func method(name string, number contract.Method) grpc.MethodDesc {
	handle := func(srv any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request frame
		if err := decode(&request); err != nil {
			return nil, err
		}
		s, ok := srv.(*server)
		if !ok {
			return nil, status.Error(codes.Internal, "another server than ours")
		}
		return s.call(number, request.bytes)
	}
	return grpc.MethodDesc{MethodName: name, Handler: handle}
}

// codec passes frames through, and leaves everything else to the codec of protobuf.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(*frame); ok {
		return mem.BufferSlice{mem.SliceBuffer(f.bytes)}, nil
	}
	return c.CodecV2.Marshal(v)
}

// Unmarshal implements encoding.CodecV2. A frame gets bytes of its own, since components keep parts of them.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if f, ok := v.(*frame); ok {
		f.bytes = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}
