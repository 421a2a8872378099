package proc

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// Now reads what this process has used. The peak comes from the kernel's view of the memory itself: getrusage's figure
// begins with that of the program which started this one.
func Now() (Usage, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return Usage{}, fmt.Errorf("read usage of this process: %w", err)
	}
	u := Usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return Usage{}, fmt.Errorf("read peak memory: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			if _, err := fmt.Sscan(text, &u.Peak); err != nil {
				return Usage{}, fmt.Errorf("read peak memory: %w", err)
			}
			u.Peak <<= 10
			return u, nil
		}
	}
	return u, lines.Err()
}
