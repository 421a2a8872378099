package host

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is one worker process with its pipes.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	write  *bufio.Writer // over in
	read   *bufio.Reader
	exited chan struct{} // closed when the process is gone and reaped
	errors *tail
}

const pipeBuffer = 64 << 10

// startProcess starts a worker with an empty environment; inputs become its descriptors from 3 on. It must run on a
// thread that outlives the worker.
func startProcess(args []string, inputs []*os.File) (*process, error) {
	stdinRead, stdinWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdoutRead, stdoutWrite, err := os.Pipe()
	if err != nil {
		closeAll(stdinRead, stdinWrite)
		return nil, err
	}
	stderrRead, stderrWrite, err := os.Pipe()
	if err != nil {
		closeAll(stdinRead, stdinWrite, stdoutRead, stdoutWrite)
		return nil, err
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // a worker outlives the call that needed it first
	cmd.Env = []string{}
	cmd.Dir = string(os.PathSeparator)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdinRead, stdoutWrite, stderrWrite
	cmd.ExtraFiles = inputs
	cmd.SysProcAttr = childAttributes()
	err = cmd.Start()
	closeAll(stdinRead, stdoutWrite, stderrWrite)
	if err != nil {
		closeAll(stdinWrite, stdoutRead, stderrRead)
		return nil, err
	}
	p := &process{cmd: cmd, in: stdinWrite, write: bufio.NewWriterSize(stdinWrite, pipeBuffer),
		read: bufio.NewReaderSize(stdoutRead, pipeBuffer), exited: make(chan struct{}), errors: &tail{}}
	go p.watch(stdoutRead, stderrRead)
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// watch collects what the worker says on standard error and reaps it.
func (p *process) watch(stdout, stderr *os.File) {
	_, _ = io.Copy(p.errors, stderr)
	_ = stderr.Close()
	_ = p.cmd.Wait() // how it ended stays in ProcessState
	closeAll(p.in, stdout)
	close(p.exited)
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the process at once; it may be called at any time and often. The system reaches the process by a handle and
// not by its number, so a process that has ended is never mistaken for another.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// alive reports whether the process is still there.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// cpuAtExit is the CPU time of an ended process.
func (p *process) cpuAtExit() time.Duration {
	state := p.cmd.ProcessState
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}

// epitaph says how an ended process ended.
func (p *process) epitaph() string {
	text := "ended"
	if state := p.cmd.ProcessState; state != nil {
		text = state.String()
	}
	if said := p.errors.String(); said != "" {
		text += ": " + said
	}
	return text
}

// tail keeps the first and drops the later bytes of what is written to it: a crash names its reason first.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const keptErrors = 2 << 10

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[:min(len(b), keptErrors-len(t.kept))]...)
	return len(b), nil
}

// String gives what was kept as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ReplaceAll(strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?")), "\n", " | ")
}
