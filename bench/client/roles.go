package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"

	"paceline/bench/internal/proc"
	"paceline/bench/internal/stub"
)

// A child is this program started with roleArg and the name of a role. It reads its options from the standard input and
// ends when that ends; it writes one JSON document.
const (
	roleArg  = "role"
	roleStub = "stub"
	roleBare = "bare"
	roleReal = "real"
)

// play is a child's life.
func play(ctx context.Context, role string, in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReader(in))
	o := new(Options)
	if err := decoder.Decode(o); err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process: a read of the standard input cannot be called off
		var more json.RawMessage
		if err := decoder.Decode(&more); err != nil {
			cancel()
		}
	}()
	if role == roleStub {
		return serve(ctx, o, out)
	}
	ctx, stop := context.WithTimeout(ctx, o.limit())
	defer stop()
	clients := map[string]func(context.Context, *Options) (*Measured, error){roleBare: bare, roleReal: real}
	client := clients[role]
	if client == nil {
		return fmt.Errorf("no role %q", role)
	}
	m, err := client(ctx, o)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return json.NewEncoder(out).Encode(m)
}

// serve is the stub; it tells its address and lives until its parent is gone.
func serve(ctx context.Context, o *Options, out io.Writer) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(ln.Addr().String()); err != nil {
		return err
	}
	stub.Serve(ctx, ln, o.script(), nil)
	return nil
}

// child is a started role.
type child struct {
	cmd *exec.Cmd
	in  io.Closer
	out *json.Decoder
}

func start(ctx context.Context, role string, o *Options) (*child, error) {
	cmd, err := proc.Self(ctx, roleArg, role)
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	c := &child{cmd: cmd, in: in, out: json.NewDecoder(out)}
	if err := json.NewEncoder(in).Encode(o); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", role, err), c.end())
	}
	return c, nil
}

// end closes the child's standard input, upon which it ends, and waits for it.
func (c *child) end() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }

// client runs one client process and returns what it found.
func client(ctx context.Context, role string, o *Options) (*Measured, error) {
	c, err := start(ctx, role, o)
	if err != nil {
		return nil, err
	}
	m := new(Measured)
	if err := c.out.Decode(m); err != nil {
		return nil, errors.Join(fmt.Errorf("client %s gave no result", role), c.end())
	}
	return m, c.end()
}
