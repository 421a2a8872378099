//go:build !unix

package native

import (
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// family is a plugin; processes that come from it are not known on this system.
type family struct {
	pid   int
	ended chan struct{} // closed when the plugin has ended

	mu  sync.Mutex
	cmd *exec.Cmd
}

func settle() {}

func attributes() *syscall.SysProcAttr { return nil }

func isBusy(error) bool { return false }

// adopt waits for the started plugin.
func (f *family) adopt(cmd *exec.Cmd) {
	f.pid, f.cmd, f.ended = cmd.Process.Pid, cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(f.ended)
	}()
}

func (f *family) kill() {
	_ = f.cmd.Process.Kill()
	select {
	case <-f.ended:
	case <-time.After(10 * time.Second):
	}
}

func (f *family) how() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cmd.ProcessState == nil {
		return "not ended"
	}
	return f.cmd.ProcessState.String()
}
