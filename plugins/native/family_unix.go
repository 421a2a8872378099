//go:build unix

package native

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// family is a plugin with all processes that come from it.
type family struct {
	pid       int
	ended     chan struct{} // closed when the plugin itself has ended
	childless chan struct{} // closed when no process is left that the guard could wait for

	mu     sync.Mutex
	status syscall.WaitStatus
	known  bool
}

// settle prepares the guard itself: what ends the runner must not end it before its work is done. Signals are caught and
// not ignored, since a plugin would inherit that.
func settle() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		for range caught {
		}
	}()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) // a courtesy to the measuring process, and no condition
	adoptOrphans()
}

func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// adopt waits for the started plugin and for every process that becomes a child of the guard.
func (f *family) adopt(cmd *exec.Cmd) {
	f.pid = cmd.Process.Pid
	f.ended, f.childless = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(f.childless)
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, 0, nil)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err != nil:
				return
			case pid == f.pid:
				f.mu.Lock()
				f.status, f.known = status, true
				f.mu.Unlock()
				close(f.ended)
			}
		}
	}()
}

// kill kills until nothing is left; what the system does not let go within some seconds stays behind.
func (f *family) kill() {
	give := time.After(10 * time.Second)
	for {
		for _, pid := range f.members() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-f.childless:
			return
		case <-give:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// how tells how the plugin ended.
func (f *family) how() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !f.known:
		return "not ended"
	case f.status.Signaled():
		return "signal: " + f.status.Signal().String()
	case f.status.Exited():
		return "exit status " + strconv.Itoa(f.status.ExitStatus())
	}
	return "ended"
}
