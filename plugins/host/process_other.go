//go:build !unix

package host

import (
	"os"
	"syscall"
	"time"
)

func lowerThread() {}

func childAttributes() *syscall.SysProcAttr { return nil }

func selfPath() (string, error) { return os.Executable() }

func cpuTime(int) (time.Duration, bool) { return 0, false }

func residentMemory(int) (int64, bool) { return 0, false }
