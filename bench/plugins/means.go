package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"google.golang.org/grpc"

	"paceline/bench/internal/proc"
	"paceline/bench/plugins/handshake"
	g "paceline/plugins/guesttest"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// means is one way to have bytes sent somewhere and back.
type means struct {
	name string
	call func(ctx context.Context, data []byte) error
}

// ways are all of them, in the order in which they are shown, and what ends them.
type ways struct {
	list    []means
	closers []func()
}

func (w *ways) add(name string, call func(ctx context.Context, data []byte) error, end func()) {
	w.list = append(w.list, means{name, call})
	w.closers = append(w.closers, end)
}

func (w *ways) close() {
	for _, end := range w.closers {
		end()
	}
}

var errOther = errors.New("other bytes came back")

// echoModule is a plugin that answers any call with its request, behind a first byte 0: next to no time is the guest's own.
func echoModule() []byte {
	return g.Guest{
		Manifest: g.Manifest("bounce", "scorer", "score", "pure"),
		Invoke: g.Code(
			g.Get(1), g.Const(1), g.Sub(), g.Const(0), g.Store8(),
			g.Const(g.ReplyAt), g.Get(1), g.Const(1), g.Sub(), g.Get(2), g.Const(1), g.Add(), []byte{0xfc, 10, 0, 0}, // memory.copy
			g.Const64(g.ReplyAt<<32), g.Get(2), g.Const(1), g.Add(), g.Extend(), g.Or64()),
	}.Bytes()
}

// addPipe adds a child process that sends length-prefixed frames back, and nothing else.
func (w *ways) addPipe(ctx context.Context) error {
	cmd, err := proc.Self(ctx, pipeRole)
	if err != nil {
		return err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var frame []byte
	w.add("bare pipe", func(_ context.Context, data []byte) error {
		frame = append(binary.LittleEndian.AppendUint32(frame[:0], uint32(len(data))), data...)
		if _, err := in.Write(frame); err != nil {
			return err
		}
		_, err := io.ReadFull(out, frame)
		return err
	}, func() { _ = in.Close(); _ = cmd.Wait() })
	return nil
}

// addWazero adds the echo guest in this process, without any of our limits.
func (w *ways) addWazero(ctx context.Context) error {
	r := wazero.NewRuntime(ctx)
	module, err := r.Instantiate(ctx, echoModule())
	if err != nil {
		return err
	}
	alloc, invoke, free := module.ExportedFunction("paceline_v1_alloc"), module.ExportedFunction("paceline_v1_invoke"), module.ExportedFunction("paceline_v1_free")
	w.add("bare wazero", func(ctx context.Context, data []byte) error {
		return callGuest(ctx, module.Memory(), alloc, invoke, free, data)
	}, func() { _ = r.Close(ctx) })
	return nil
}

func callGuest(ctx context.Context, memory api.Memory, alloc, invoke, free api.Function, data []byte) error {
	at, err := alloc.Call(ctx, uint64(len(data)))
	if err != nil {
		return err
	}
	if !memory.Write(uint32(at[0]), data) {
		return errOther
	}
	packed, err := invoke.Call(ctx, 0, at[0], uint64(len(data)))
	if err != nil {
		return err
	}
	reply, ok := memory.Read(uint32(packed[0]>>32), uint32(packed[0]))
	if !ok || len(reply) != len(data)+1 || len(bytes.Clone(reply)) == 0 {
		return errOther
	}
	_, err = free.Call(ctx, packed[0]>>32, uint64(uint32(packed[0])))
	return err
}

// fold is a call of the contract that carries data there and back.
func fold(conn grpc.ClientConnInterface) func(context.Context, []byte) error {
	client := pb.NewScorerClient(conn)
	return func(ctx context.Context, data []byte) error {
		reply, err := client.FoldScore(ctx, &pb.FoldRequest{Account: data})
		if err == nil && len(reply.GetAccount()) != len(data) {
			err = errOther
		}
		return err
	}
}

func (w *ways) addComponent(ctx context.Context, name string, p *host.Plugin, opened func(context.Context, grpc.ClientConnInterface) error) error {
	c, err := p.Open(ctx, host.ComponentOptions{Name: "score", Opened: opened, Limits: lock.Limits{}})
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	w.add(name, fold(c.Conn()), func() { _ = c.Close() })
	return nil
}

// sendOpen opens the component as a run does.
func sendOpen(ctx context.Context, conn grpc.ClientConnInterface) error {
	_, err := pb.NewPluginClient(conn).Open(ctx, &pb.OpenRequest{Component: "score", Seed: make([]byte, 32)})
	return err
}

// addPlain adds a plugin of go-plugin as its guide makes one.
func (w *ways) addPlain(ctx context.Context, file string) error {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: handshake.Config, Plugins: plugin.PluginSet{handshake.Name: &handshake.Plugin{}},
		Cmd: exec.CommandContext(ctx, file), AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(),
		Managed: true,
	})
	protocol, err := client.Client()
	if err != nil {
		return err
	}
	conn, err := protocol.Dispense(handshake.Name)
	if err != nil {
		return err
	}
	c, ok := conn.(*grpc.ClientConn)
	if !ok {
		return fmt.Errorf("the plain plugin gives a %T", conn)
	}
	w.add("plain go-plugin", fold(c), client.Kill)
	return nil
}

// build builds a program of this tree.
func build(ctx context.Context, dir, pkg string) (string, error) {
	file := filepath.Join(dir, filepath.Base(pkg))
	cmd := proc.Command(ctx, "go", "build", "-o", file, pkg)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build %s: %w", pkg, err)
	}
	return file, nil
}

// loadNative builds a native plugin and loads it as a run would.
func loadNative(ctx context.Context, h *host.Host, dir string) (*host.Plugin, error) {
	file, err := build(ctx, dir, "paceline/sdk/native/internal/bounce")
	if err != nil {
		return nil, err
	}
	said, err := proc.Command(ctx, file, "manifest", "Apache-2.0").Output()
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	manifest, err := lock.ParseManifest(said)
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return h.LoadNative(host.NativeModule{Name: "bench/bounce", Path: file, Code: code, Manifest: manifest})
}
