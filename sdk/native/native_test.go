package native

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"paceline/sdk"
	"paceline/sdk/contract"
	"paceline/sdk/examples/echo/parts"
	"paceline/sdk/sdktest"
)

// plain passes bytes, as a host does that codes messages itself.
type plain struct{ encoding.CodecV2 }

func (plain) Marshal(v any) ([]byte, error)      { return v.(*frame).bytes, nil }
func (plain) Unmarshal(data []byte, v any) error { v.(*frame).bytes = bytes.Clone(data); return nil }
func (plain) Name() string                       { return "proto" }

// serve serves a plugin as Serve does, without the process around it.
func serve(t *testing.T, p *sdk.Plugin, log io.Writer) *grpc.ClientConn {
	t.Helper()
	s := grpc.NewServer(grpc.ForceServerCodecV2(newCodec()))
	r := registrar{server: &server{instance: sdk.NewInstance(nativeOf(p), newHost(log))}}
	if err := r.GRPCServer(nil, s); err != nil {
		t.Fatal(err)
	}
	grpc_health_v1.RegisterHealthServer(s, health.NewServer())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); s.Stop(); <-done })
	return conn
}

func call(t *testing.T, conn *grpc.ClientConn, method string, request interface{ Marshal() []byte }) ([]byte, error) {
	t.Helper()
	var reply frame
	err := conn.Invoke(t.Context(), "/paceline.plugin.v1."+method, &frame{request.Marshal()}, &reply, grpc.ForceCodec(plain{}))
	return reply.bytes, err
}

func TestServices(t *testing.T) {
	var log bytes.Buffer
	plugin := sdk.Plugin{Name: "fixed", Version: "1.0.0", Components: []sdk.Component{{Name: "same",
		Scorer: func(o *sdk.Opening) (sdk.Scorer, error) {
			o.Log.Warnf("opened with %s", o.Config)
			return nil, sdk.Errorf(sdk.CodeNotFound, "nothing here")
		}}}}
	conn := serve(t, &plugin, &log)
	body, err := call(t, conn, "Plugin/Describe", &contract.DescribeRequest{ContractVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	var d contract.DescribeResponse
	if err := d.Unmarshal(body); err != nil || d.Name != "fixed" || d.Components[0].Purity != sdk.PurityNative {
		t.Errorf("got %+v, %v", d, err)
	}
	_, err = call(t, conn, "Plugin/Open", &contract.OpenRequest{Component: "same", Config: []byte("{}")})
	if s := status.Convert(err); s.Code() != codes.NotFound || s.Message() != "nothing here" {
		t.Errorf("got %v", err)
	}
	if got := log.String(); got != `{"@level":"warn","@message":"opened with {}"}`+"\n" {
		t.Errorf("logged %s", got)
	}
	if _, err := call(t, conn, "Scorer/Score", &contract.ScoreRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("got %v", err)
	}
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Errorf("a service with messages of protobuf: %v", err)
	}
}

func TestManifest(t *testing.T) {
	plugin := parts.Plugin()
	served := nativeOf(&plugin)
	var out bytes.Buffer
	if err := printManifest(served, []string{"Apache-2.0"}, &out); err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, served, out.Bytes())
	var m manifest
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || len(m.Native) != 1 || len(m.Native[0].SHA256) != 64 || m.License != "Apache-2.0" {
		t.Errorf("got %s, %v", out.Bytes(), err)
	}
	if plugin.Components[0].Purity == sdk.PurityNative {
		t.Error("the author's own value was changed")
	}
	out.Reset()
	if err := printManifest(served, []string{"Apache-2.0", "mtls"}, &out); err != nil || !bytes.Contains(out.Bytes(), []byte(`"mtls": true`)) {
		t.Errorf("%v: %s", err, &out)
	}
	if err := printManifest(served, nil, &out); err == nil {
		t.Error("no license, and no error")
	}
}

func TestReadInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := newHost(io.Discard)
	h.inputs[0] = f
	p := make([]byte, 4)
	for _, c := range []struct {
		handle       uint32
		offset, want int64
		read         string
	}{{0, 0, 4, "0123"}, {0, 8, 2, "89"}, {0, 10, 0, ""}, {0, -1, sdk.ReadOffset, ""}, {1 << 20, 0, sdk.ReadNoInput, ""}} {
		got := h.ReadInput(c.handle, p, c.offset)
		if got != c.want || got > 0 && string(p[:got]) != c.read {
			t.Errorf("input %d at %d: %d %q, want %d %q", c.handle, c.offset, got, p[:max(got, 0)], c.want, c.read)
		}
	}
	_ = f.Close()
	if got := h.ReadInput(0, p, 0); got != sdk.ReadFailed {
		t.Errorf("a closed input: %d", got)
	}
}

func TestLevels(t *testing.T) {
	var out bytes.Buffer
	h := newHost(&out)
	h.Log(sdk.LevelDebug, "a\n\"b\"")
	h.Log(99, "c")
	if want := `{"@level":"debug","@message":"a\n\"b\""}` + "\n" + `{"@level":"error","@message":"c"}` + "\n"; out.String() != want || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %s", out.String())
	}
}
