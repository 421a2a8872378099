package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "paceline/schemas/gen/pluginv1"
)

// TestMain lets the test binary be the guard, the runner that is killed, and the plugin: that by its own name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Guard(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == helperCommand {
		helper(os.Args[2])
		os.Exit(0)
	}
	if os.Getenv(cookieKey) != "" {
		bePlugin(filepath.Base(os.Args[0]))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is the plugin's side: the component's name says what Open does.
type fake struct {
	pb.UnimplementedPluginServer
	plugin.NetRPCUnsupportedPlugin
}

func (f *fake) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPluginServer(s, f)
	return nil
}

func (f *fake) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}

func (f *fake) Open(ctx context.Context, q *pb.OpenRequest) (*pb.OpenResponse, error) {
	switch how := q.GetComponent(); how {
	case "panic":
		panic("it is broken")
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	case "status":
		return nil, status.Error(codes.FailedPrecondition, "no")
	case "unavailable":
		return nil, status.Error(codes.Unavailable, "later")
	case "big":
		return &pb.OpenResponse{Prepared: make([]byte, 64<<20)}, nil
	case "flood", "stderr", "print":
		flood(how)
	case "see":
		return &pb.OpenResponse{Prepared: surroundings()}, nil
	case "read":
		data, err := os.ReadFile(q.GetInputs()[0].GetPath())
		return &pb.OpenResponse{Prepared: data}, err
	case "fork":
		return &pb.OpenResponse{Prepared: fork()}, nil
	}
	return &pb.OpenResponse{Prepared: q.GetConfig()}, nil
}

// realStderr is the descriptor that crashes write to; go-plugin replaces the variable.
var realStderr = os.Stderr

func flood(how string) {
	line := []byte(strings.Repeat("x", 99) + "\n")
	var out io.Writer = realStderr
	if how == "print" {
		out = os.Stdout
	}
	for range 100_000 / map[string]int{"flood": 1, "stderr": 1, "print": 10}[how] {
		_, _ = out.Write(line)
	}
}

func surroundings() []byte {
	wd, _ := os.Getwd()
	files, _ := os.ReadDir(".")
	self, _ := os.Stat(os.Args[0])
	stdin, _ := io.ReadAll(os.Stdin)
	text, _ := json.Marshal(map[string]any{"env": os.Environ(), "dir": wd, "files": len(files), "mode": self.Mode().String(), "stdin": len(stdin)})
	return text
}

// fork starts a process that leaves group and session and whose parent ends; it ignores what can be ignored. Its id is given.
func fork() []byte {
	script := `trap "" TERM INT HUP; setsid sh -c 'trap "" TERM INT HUP; echo $$; exec sleep 600' </dev/null 2>/dev/null & wait`
	cmd := exec.Command("sh", "-c", "("+script+") & exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil
	}
	if cmd.Start() != nil {
		return nil
	}
	var pid int
	_, _ = fmt.Fscan(out, &pid)
	return fmt.Appendf(nil, "%d %d", cmd.Process.Pid, pid)
}

func bePlugin(mode string) {
	serve := &plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{1: {"paceline": &fake{}}},
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(o, grpc.MaxRecvMsgSize(32<<20))...)
		},
		Logger: hclog.NewNullLogger(),
	}
	switch mode {
	case "v0":
		serve.VersionedPlugins = map[int]plugin.PluginSet{0: {"paceline": &fake{}}}
	case "both":
		serve.VersionedPlugins[0] = plugin.PluginSet{"paceline": &fake{}}
	case "netrpc":
		serve.GRPCServer = nil
	case "no mtls":
		_ = os.Unsetenv("PLUGIN_CLIENT_CERT")
	case "silent":
		time.Sleep(time.Hour)
	case "exits":
		fmt.Fprintln(os.Stderr, "no license found")
		os.Exit(3)
	case "noise":
		fmt.Println("hello, I am no plugin")
		time.Sleep(time.Hour)
	case "tcp":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Printf("1|1|tcp|%s|grpc\n", l.Addr())
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		defer time.Sleep(time.Hour)
	}
	plugin.Serve(serve)
}

// patient is a limit that only a hung plugin passes.
const patient = 20 * time.Second

const helperCommand = "native-helper"

// helper is a runner with a plugin that forked. It says which processes and which folder there are, and ends as it is told.
func helper(way string) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	p, err := Start(context.Background(), Config{Guard: []string{"/proc/self/exe", Command}, File: "good", Code: program, Start: patient})
	if err != nil {
		panic(err)
	}
	forked, err := openWith(context.Background(), p, &pb.OpenRequest{Component: "fork"}, patient)
	if err != nil {
		panic(err)
	}
	guard, plugin := p.PIDs()
	fmt.Printf("%s %d %d %s\n", p.guard.dir, guard, plugin, forked)
	switch way {
	case "normal":
		p.Stop()
	case "set-up fails":
		os.Exit(1)
	case "in a call":
		_, _ = openWith(context.Background(), p, &pb.OpenRequest{Component: "hang"}, time.Hour)
	default:
		time.Sleep(time.Hour)
	}
}

// code is the test binary itself, read once.
var code = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("/proc/self/exe") })

func config(t testing.TB, mode string) Config {
	t.Helper()
	bytes, err := code()
	if err != nil {
		t.Skip("reads its own program from /proc")
	}
	return Config{Guard: []string{"/proc/self/exe", Command}, File: mode, Code: bytes, Start: 20 * time.Second}
}

func start(t testing.TB, c Config) *Process {
	t.Helper()
	p, err := Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// open calls Open with a component's name.
func open(p *Process, how string, limit time.Duration) ([]byte, error) {
	return openWith(context.Background(), p, &pb.OpenRequest{Component: how}, limit)
}

func openWith(ctx context.Context, p *Process, q *pb.OpenRequest, limit time.Duration) ([]byte, error) {
	request, err := proto.Marshal(q)
	if err != nil {
		return nil, err
	}
	reply, err := p.Call(ctx, pb.Plugin_Open_FullMethodName, request, limit)
	if err != nil {
		return nil, err
	}
	var r pb.OpenResponse
	err = proto.Unmarshal(reply[1:], &r)
	return r.GetPrepared(), err
}

func wantFault(t *testing.T, err error, fault Fault, says string) *Failure {
	t.Helper()
	f, ok := errors.AsType[*Failure](err)
	if !ok || f.Fault != fault || !strings.Contains(f.Error(), says) {
		t.Fatalf("got %v, want fault %s that says %q", err, fault, says)
	}
	return f
}
