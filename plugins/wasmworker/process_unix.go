//go:build unix

package wasmworker

import (
	"time"

	"golang.org/x/sys/unix"
)

// maxFiles is enough for the pipes, inputs, the runtime's own descriptors and the compile cache.
const maxFiles = 64

// prepare limits the whole process. Priority comes from the thread that started it where the system allows that, and is
// set here as well.
func prepare() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	files.Cur, files.Max = min(files.Cur, maxFiles), min(files.Max, maxFiles)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	const lowest = 19
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, lowest) // a courtesy to others, and no condition
	return nil
}

// cpuBackstop lets the system end a process that runs on after its parent failed to: a CPU limit that moves ahead of what
// each call may use.
type cpuBackstop struct {
	moved  time.Time
	margin time.Duration
}

func newCPUBackstop() *cpuBackstop { return &cpuBackstop{} }

// extend makes sure that the next limit milliseconds of CPU fit, with room to spare.
func (b *cpuBackstop) extend(limit uint32) {
	want := 2 * time.Duration(limit) * time.Millisecond
	if want <= b.margin && time.Since(b.moved) < time.Second {
		return
	}
	var used unix.Rusage
	var rlimit unix.Rlimit
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil || unix.Getrlimit(unix.RLIMIT_CPU, &rlimit) != nil {
		return
	}
	const room = 5 * time.Second
	now := time.Duration(unix.TimevalToNsec(used.Utime) + unix.TimevalToNsec(used.Stime))
	rlimit.Cur = min(uint64((now+want+room)/time.Second)+1, rlimit.Max)
	if unix.Setrlimit(unix.RLIMIT_CPU, &rlimit) == nil {
		b.moved, b.margin = time.Now(), want
	}
}
