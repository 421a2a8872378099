package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin/runner"
)

// guarded is a guard process as the runner sees it. go-plugin takes it for the plugin's own process.
type guarded struct {
	cmd    *exec.Cmd
	dir    string
	file   string
	order  order
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	status *os.File
	told   *bufio.Reader
	pid    int // of the plugin

	once   sync.Once
	exited chan struct{} // closed when the guard is gone
	last   told          // what it said at the end; to be read after exited
}

var _ runner.Runner = (*guarded)(nil)

// startGuard starts a guard and waits until it has made the private folder.
func startGuard(args []string, inputs []*os.File) (*guarded, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("native plugins do not run on this system")
	}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inRead, inWrite, err1 := pipe()
	outRead, outWrite, err2 := pipe()
	errRead, errWrite, err3 := pipe()
	statusRead, statusWrite, err4 := pipe()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		closeAll()
		return nil, err
	}
	args = append(append([]string{}, args...), strconv.Itoa(os.Getpid()))
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // it outlives the call that needed it first
	cmd.Env = []string{}
	cmd.Dir = string(os.PathSeparator)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inRead, outWrite, errWrite
	cmd.ExtraFiles = append([]*os.File{statusWrite}, inputs...)
	cmd.SysProcAttr = guardAttributes()
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, err
	}
	_, _, _, _ = inRead.Close(), outWrite.Close(), errWrite.Close(), statusWrite.Close()
	g := &guarded{cmd: cmd, stdin: inWrite, stdout: outRead, stderr: errRead, status: statusRead,
		told: bufio.NewReader(statusRead), exited: make(chan struct{})}
	var first told
	if err := readLine(g.told, &first); err != nil || first.Dir == "" {
		g.end()
		return nil, errors.Join(errors.New("the guard process did not make a private folder"+first.Refused), err)
	}
	g.dir = first.Dir
	return g, nil
}

// place writes the executable into the private folder, for this user to read and to start only.
func (g *guarded) place(file string, code []byte) error {
	g.file = file
	f, err := os.OpenFile(filepath.Join(g.dir, codeFolder, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o500)
	if err != nil {
		return err
	}
	_, err = f.Write(code)
	return errors.Join(err, f.Close())
}

// begin has the guard start the plugin.
func (g *guarded) begin(o order) error {
	if err := writeLine(g.stdin, o); err != nil {
		return g.refused(err)
	}
	var second told
	if err := readLine(g.told, &second); err != nil {
		return g.refused(err)
	}
	if second.Refused != "" {
		return errors.New(second.Refused)
	}
	g.pid = second.PID
	go g.reap()
	return nil
}

func (g *guarded) refused(err error) error { return fmt.Errorf("the guard process: %w", err) }

// reap waits for the guard and keeps its last words.
func (g *guarded) reap() {
	_ = readLine(g.told, &g.last) // none where the guard was killed
	g.finish()
}

func (g *guarded) finish() {
	_ = g.cmd.Wait()
	_, _ = g.stdin.Close(), g.status.Close()
	if g.dir != "" {
		removeFolder(g.dir) // where the guard was killed, it is still there
	}
	close(g.exited)
}

// kill ends the plugin and everything that comes from it; it does not wait, and may be called often.
func (g *guarded) kill() {
	g.once.Do(func() {
		_ = g.stdin.Close()
		go func() {
			select {
			case <-g.exited:
			case <-time.After(25 * time.Second): // more than what the guard gives itself
				_ = g.cmd.Process.Kill()
			}
		}()
	})
}

// end ends a guard whose plugin was never started.
func (g *guarded) end() {
	_ = g.stdin.Close()
	_, _ = g.stdout.Close(), g.stderr.Close()
	g.finish()
}

// Start implements runner.Runner: Process started the guard before, and the plugin is started here, with the environment
// that go-plugin made.
func (g *guarded) Start(context.Context) error { return g.begin(g.order) }

// Diagnose implements runner.Runner.
func (g *guarded) Diagnose(context.Context) string { return "" }

// Stdout implements runner.Runner: it holds one line.
func (g *guarded) Stdout() io.ReadCloser { return g.stdout }

// Stderr implements runner.Runner.
func (g *guarded) Stderr() io.ReadCloser { return g.stderr }

// Name implements runner.Runner.
func (g *guarded) Name() string { return g.file }

// Wait implements runner.Runner.
func (g *guarded) Wait(context.Context) error {
	<-g.exited
	_, _ = g.stdout.Close(), g.stderr.Close()
	return nil
}

// Kill implements runner.Runner.
func (g *guarded) Kill(context.Context) error { g.kill(); return nil }

// ID implements runner.Runner.
func (g *guarded) ID() string { return strconv.Itoa(g.cmd.Process.Pid) }

// PluginToHost implements runner.Runner: it refuses a socket outside of the private folder.
func (g *guarded) PluginToHost(network, address string) (hostNetwork, hostAddress string, err error) {
	inside, err := filepath.Rel(filepath.Join(g.dir, socketFolder), address)
	if network != "unix" || err != nil || strings.HasPrefix(inside, "..") {
		return "", "", fmt.Errorf("the plugin listens at %s %s, and a unix socket in the folder of PLUGIN_UNIX_SOCKET_DIR is wanted",
			oneLine(network, 10), oneLine(address, 200))
	}
	return network, address, nil
}

// HostToPlugin implements runner.Runner.
func (g *guarded) HostToPlugin(network, address string) (pluginNetwork, pluginAddress string, err error) {
	return network, address, nil
}

// asRunner gives go-plugin the guard, with the environment that it has put together.
func (g *guarded) asRunner(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
	g.order.Env = append(g.order.Env, cmd.Env...)
	return g, nil
}
