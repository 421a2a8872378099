//go:build unix && !linux

package host

import (
	"os"
	"syscall"
	"time"
)

func lowerThread() {} // the worker lowers itself

// childAttributes puts a worker into a process group of its own, so that an interrupt of the terminal does not reach it.
// This system cannot tie its life to the parent's.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func selfPath() (string, error) { return os.Executable() }

// cpuTime is not known here: the wall clock alone bounds a call.
func cpuTime(int) (time.Duration, bool) { return 0, false }

// residentMemory is not known here: the guest's page limit alone bounds its memory.
func residentMemory(int) (int64, bool) { return 0, false }
