package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"paceline/plugins/lock"
)

// Config says how a plugin is started.
type Config struct {
	// Guard is the program and its first arguments that run the guard.
	Guard []string
	// File is the executable's name, and Code are its bytes, which the caller has digested. They are not written to.
	File string
	Code []byte
	// Inputs are handed to the plugin as descriptors from 3 on; see InputPath. They stay the caller's.
	Inputs []*os.File
	// Start bounds the time until the plugin says where it listens.
	Start time.Duration
	// MTLS makes certificates for this start on both sides, and calls go through TLS. The plugin must be able to.
	MTLS bool
	// Containers lets the plugin start containers: it is told Label, and what carries that label is removed at the end.
	Containers bool
	Label      string // key=value
	// Log takes what the plugin prints and logs, a line at a time, level by level as the contract numbers them. Nil: nobody.
	Log func(level int, text string)
	// Cut hears how much the plugin printed above the rate. Nil: nobody.
	Cut func(lines, bytes uint64)
	// Contracts are the versions of the contract to offer; empty: all that this runner speaks.
	Contracts []int
	// Commands are the container commands; empty: docker and podman.
	Commands []string
}

// Process is one started plugin. Its methods may be called concurrently, but calls of a plugin run one after another.
type Process struct {
	guard    *guarded
	client   *plugin.Client
	conn     *grpc.ClientConn
	printed  *printed
	contract int
	cut      func(lines, bytes uint64)
	over     sync.Once
}

// ContainerLabel is the name of the variable in which a plugin finds the label that its containers must carry.
const ContainerLabel = "PLUGIN_CONTAINER_LABEL"

// Start starts a plugin and waits until it can be called. An error is a *Failure, and leaves nothing behind.
func Start(ctx context.Context, c Config) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, &Failure{Fault: FaultCancelled, Err: err}
	}
	g, err := startGuard(c.Guard, c.Inputs)
	if err != nil {
		return nil, &Failure{Fault: FaultStart, Err: err}
	}
	if err := g.place(c.File, c.Code); err != nil {
		g.end()
		return nil, &Failure{Fault: FaultStart, Err: err}
	}
	p := &Process{guard: g, printed: &printed{log: c.Log}, cut: c.Cut}
	g.order = order{File: c.File, Env: environment(g.dir), Inputs: len(c.Inputs)}
	if c.Containers {
		g.order.Label = c.Label
		g.order.Env = append(g.order.Env, ContainerLabel+"="+c.Label)
		if g.order.Containers = c.Commands; len(c.Commands) == 0 {
			g.order.Containers = findCommands(containerCommands())
		}
	}
	p.client = plugin.NewClient(p.settings(c))
	stop := context.AfterFunc(ctx, g.kill)
	defer stop()
	if err := p.connect(); err != nil {
		return nil, p.failedStart(ctx, err, c.Start)
	}
	return p, nil
}

// WorkDir is the private folder that the plugin works in. It goes with the process, however the runner ends.
func (p *Process) WorkDir() string { return filepath.Join(p.guard.dir, workFolder) }

// environment is everything that a plugin gets beside what go-plugin tells it.
func environment(dir string) []string {
	work := filepath.Join(dir, workFolder)
	return []string{"PATH=" + searchPath, "HOME=" + work, "TMPDIR=" + work, "LANG=C.UTF-8"}
}

func (p *Process) settings(c Config) *plugin.ClientConfig {
	offered := c.Contracts
	if len(offered) == 0 {
		offered = contracts()
	}
	return &plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue},
		VersionedPlugins: versions(offered),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc:       p.guard.asRunner,
		SkipHostEnv:      true,
		StartTimeout:     c.Start,
		AutoMTLS:         c.MTLS,
		Stderr:           p.printed,
		SyncStdout:       newThrottled(p.printed),
		SyncStderr:       newThrottled(p.printed),
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: filepath.Join(p.guard.dir, socketFolder)},
		GRPCDialOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(
			grpc.MaxCallSendMsgSize(lock.MaxRequest), grpc.MaxCallRecvMsgSize(lock.MaxReply))},
	}
}

func (p *Process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	client, ok := protocol.(*plugin.GRPCClient)
	if !ok {
		return errors.New("the plugin does not speak gRPC")
	}
	p.conn, p.contract = client.Conn, p.client.NegotiatedVersion()
	return client.Ping()
}

// failedStart ends a plugin that could not be started and says why.
func (p *Process) failedStart(ctx context.Context, err error, limit time.Duration) error {
	p.guard.kill()
	if p.guard.pid == 0 { // go-plugin started nothing that would be waited for
		p.guard.end()
		return &Failure{Fault: FaultStart, Err: err}
	}
	p.client.Kill()
	<-p.guard.exited
	text := err.Error()
	switch {
	case ctx.Err() != nil:
		return &Failure{Fault: FaultCancelled, Err: context.Cause(ctx)}
	case strings.Contains(text, "incompatible API version"):
		return &Failure{Fault: FaultInterface, Text: "the plugin and this runner have no version of the contract in common: " + oneLine(text, 300)}
	case strings.Contains(text, "unsupported plugin protocol"), strings.Contains(text, "the plugin listens at"), strings.Contains(text, "does not speak gRPC"):
		return &Failure{Fault: FaultInterface, Text: oneLine(text, 300)}
	case strings.Contains(text, "authentication handshake failed"):
		return &Failure{Fault: FaultInterface, Text: "the manifest says mtls, and the plugin does not answer so: " + oneLine(text, 300)}
	case strings.Contains(text, "timeout while waiting"):
		return &Failure{Fault: FaultTimeout, Text: fmt.Sprintf("it did not say within %s where it listens", limit)}
	case strings.Contains(text, "plugin exited before"), strings.Contains(text, "Failed to read any lines"):
		return &Failure{Fault: FaultDied, Text: p.Epitaph()}
	}
	return &Failure{Fault: FaultInterface, Text: "the plugin did not answer as one: " + oneLine(text, 300)}
}

// Contract is the version of the contract that both sides agreed on.
func (p *Process) Contract() int { return p.contract }

// PIDs are the process ids of the guard and of the plugin.
func (p *Process) PIDs() (guard, plugin int) { return p.guard.cmd.Process.Pid, p.guard.pid }

// Exited is closed when plugin and guard are gone and nothing is left of them.
func (p *Process) Exited() <-chan struct{} { return p.guard.exited }

// Alive reports whether plugin and guard are there.
func (p *Process) Alive() bool {
	select {
	case <-p.guard.exited:
		return false
	default:
		return true
	}
}

// CPUAtExit is the CPU time of an ended plugin with its guard and all descendants that were waited for.
func (p *Process) CPUAtExit() time.Duration {
	state := p.guard.cmd.ProcessState
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}

// Epitaph says how an ended plugin ended, with what it printed.
func (p *Process) Epitaph() string {
	text := p.guard.last.Ended
	if text == "" {
		text = "its guard process ended: " + p.guard.cmd.ProcessState.String()
	}
	if why := p.printed.why(); why != "" {
		text += ": " + why
	}
	return text
}

// Stop asks the plugin to end, kills what does not end at once, and waits until nothing is left.
func (p *Process) Stop() {
	const grace = time.Second
	impatient := time.AfterFunc(grace, p.guard.kill)
	defer impatient.Stop()
	p.client.Kill()
	p.kill()
}

// kill ends plugin and guard at once and waits for them.
func (p *Process) kill() {
	p.guard.kill()
	<-p.guard.exited
	p.client.Kill() // closes the connection
	p.over.Do(func() {
		if t := p.guard.last; t.CutLines > 0 && p.cut != nil {
			p.cut(t.CutLines, t.CutBytes)
		}
	})
}

// InputPath is the path under which a plugin opens its input number i: that of the very descriptor that was digested.
func InputPath(i int) string { return fmt.Sprintf("/dev/fd/%d", statusDescriptor+i) }
