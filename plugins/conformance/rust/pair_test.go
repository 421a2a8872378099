package rust

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"paceline/plugins/host"
	pb "paceline/schemas/gen/pluginv1"
	"paceline/sdk"
	"paceline/sdk/contract"
	"paceline/sdk/examples/echo/parts"
)

// memory is the host of the Go plugin in this process.
type memory struct{ data []byte }

func (memory) Log(sdk.Level, string) {}

func (m memory) ReadInput(_ uint32, p []byte, offset int64) int64 {
	return int64(copy(p, m.data[min(offset, int64(len(m.data))):]))
}

// pair is an instance of the example in each language, opened alike.
type pair struct {
	t    *testing.T
	rust grpc.ClientConnInterface
	goes *sdk.Instance
}

// asked is what one side answered to one request: a message, or a status.
type asked struct {
	Message proto.Message
	Status  string
}

// openPair opens a component of both; text is the input, nil: none.
func openPair(t *testing.T, p *host.Plugin, component string, text []byte) (*pair, asked) {
	t.Helper()
	request := &pb.OpenRequest{Component: component, Config: []byte("{}"), Seed: make([]byte, 32)}
	opts := host.ComponentOptions{Name: component}
	if text != nil {
		sum := sha256.Sum256(text)
		request.Inputs = []*pb.Input{{Name: "text", Size: uint64(len(text)), Sha256: sum[:]}}
		request.Granted = []pb.Capability{pb.Capability_CAPABILITY_INPUTS}
		opts.Inputs = []host.Input{{File: fileOf(t, text), Size: int64(len(text))}}
	}
	plugin := parts.Plugin()
	both := &pair{t: t, goes: sdk.NewInstance(&plugin, memory{text})}
	var opened asked
	opts.Opened = func(_ context.Context, conn grpc.ClientConnInterface) error {
		both.rust = conn
		opened = both.same("Plugin/Open", request, new(pb.OpenResponse))
		return nil
	}
	c, err := p.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	both.rust = c.Conn()
	return both, opened
}

func fileOf(t *testing.T, text []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// same sends a request to both and wants equal answers: the same bytes, or the same code and text. It returns the answer.
func (both *pair) same(method string, request, response proto.Message) asked {
	both.t.Helper()
	full := "/paceline.plugin.v1." + method
	number, ok := host.MethodNumber(full)
	raw, err := proto.Marshal(request)
	if err != nil || !ok {
		both.t.Fatal(method, err)
	}
	want := asked{Message: proto.Clone(response)}
	body, err := sdk.ParseReply(both.goes.Invoke(contract.Method(number), raw))
	if err == nil {
		err = proto.Unmarshal(body, want.Message)
	}
	want.Status = statusOf(err)
	got := asked{Message: response}
	got.Status = statusOf(both.rust.Invoke(both.t.Context(), full, request, got.Message))
	if got.Status != want.Status || !proto.Equal(got.Message, want.Message) {
		both.t.Errorf("%s: Go says %.2000v\nRust says %.2000v", method, want, got)
	}
	return got
}

func statusOf(err error) string {
	if coded, ok := errors.AsType[*sdk.Error](err); ok {
		return fmt.Sprintf("%d %s", coded.Code, coded)
	}
	if e, ok := errors.AsType[*host.Error](err); ok && e.Cause == host.Status {
		return fmt.Sprintf("%d %s", e.Code, e.Text)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
