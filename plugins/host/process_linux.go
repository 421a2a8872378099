//go:build linux

package host

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lowerThread gives the calling thread, and so every process that it starts, the lowest priority.
func lowerThread() {
	const lowest = 19
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, lowest) // a courtesy to the measuring process, and no condition
}

// childAttributes puts a worker into a process group of its own, so that an interrupt of the terminal does not reach it,
// and has the system kill it when the thread that starts it ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// selfPath is this very program, also where its file was replaced meanwhile.
func selfPath() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// cpuTime reads how much CPU time a process has used, all its threads together.
func cpuTime(pid int) (time.Duration, bool) {
	// The number of a process's CPU clock is made of its id; see clock_getcpuclockid(3).
	const processClock = 2
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|processClock, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// residentMemory reads how much memory a process occupies, in bytes.
func residentMemory(pid int) (int64, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
