package native

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// guard is the process between a runner and one plugin.
type guard struct {
	dir    string
	tell   *os.File // to the runner
	relay  *relay
	order  order
	family family // the plugin's processes
	copies sync.WaitGroup
}

// statusDescriptor is where the guard tells the runner what happens; the plugin's inputs follow it.
const statusDescriptor = 3

// Guard is the whole life of the guard process; arguments are those after Command, and tell people whose guard it is. It
// returns the exit code.
func Guard([]string) int {
	runtime.LockOSThread() // the plugin's life is tied to this thread where the system can do that
	settle()
	g := &guard{tell: os.NewFile(statusDescriptor, "status"), relay: newRelay(os.Stderr)}
	dir, err := makeFolder()
	if err != nil {
		_ = writeLine(g.tell, told{Refused: err.Error()})
		return 1
	}
	g.dir = dir
	defer removeFolder(dir)
	if writeLine(g.tell, told{Dir: dir}) != nil {
		return 1
	}
	in := bufio.NewReader(os.Stdin)
	if readLine(in, &g.order) != nil {
		return 1 // the runner is gone
	}
	if err := g.start(); err != nil {
		_ = writeLine(g.tell, told{Refused: err.Error()})
		return 1
	}
	_ = writeLine(g.tell, told{PID: g.family.pid})
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(gone)
	}()
	select {
	case <-gone:
	case <-g.family.ended:
	}
	g.end()
	return 0
}

// start starts the plugin with what it prints in pipes of ours.
func (g *guard) start() error {
	var inputs []*os.File
	for i := range g.order.Inputs {
		f := os.NewFile(uintptr(statusDescriptor+1+i), "input")
		defer f.Close()
		inputs = append(inputs, f)
	}
	stdout, printed, err := os.Pipe()
	if err != nil {
		return err
	}
	stderr, complained, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd, err := startBusy(func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(g.dir, codeFolder, g.order.File)) //nolint:noctx // it ends with the guard
		cmd.Env, cmd.Dir = g.order.Env, filepath.Join(g.dir, workFolder)
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = printed, complained, inputs
		cmd.SysProcAttr = attributes()
		return cmd
	})
	_, _ = printed.Close(), complained.Close()
	if err != nil {
		return err
	}
	g.family.adopt(cmd)
	g.copies.Go(func() { g.relay.copyLines(stdout, os.Stdout) })
	g.copies.Go(func() { g.relay.copyLines(stderr, nil) })
	return nil
}

// startBusy starts a command whose file was written just now: as long as another process that was forked meanwhile has not
// closed its copy of the descriptor, the system says that the file is busy.
func startBusy(command func() *exec.Cmd) (*exec.Cmd, error) {
	for tries := 0; ; tries++ {
		cmd := command()
		err := cmd.Start()
		if err == nil || !isBusy(err) || tries > 200 {
			return cmd, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end leaves nothing of the plugin.
func (g *guard) end() {
	g.family.kill()
	done := make(chan struct{})
	go func() { g.copies.Wait(); close(done) }()
	select { // a process that could not be killed may hold the pipes
	case <-done:
	case <-time.After(time.Second):
	}
	removeContainers(g.order.Containers, g.order.Label)
	removeFolder(g.dir)
	t := told{Ended: g.family.how()}
	t.CutLines, t.CutBytes = g.relay.dropped()
	_ = writeLine(g.tell, t)
}

// makeFolder makes the private folder, in a place whose path is short enough for sockets.
func makeFolder() (string, error) {
	const longest = 40
	root := os.TempDir()
	if len(root) > longest {
		root = "/tmp"
	}
	dir, err := os.MkdirTemp(root, folderPattern)
	if err != nil {
		return "", err
	}
	for _, sub := range []string{workFolder, socketFolder, codeFolder} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return "", fmt.Errorf("private folder: %w", err)
		}
	}
	return dir, nil
}

// removeFolder removes the private folder, also where the plugin took away its own rights there.
func removeFolder(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
