package sched

import (
	"errors"
	"runtime"
	"syscall"
	"time"
)

// waitKernel sleeps in the kernel until at, which is exact to some tens of microseconds.
func waitKernel(at time.Time) {
	if runtime.GOMAXPROCS(0) == 1 || clockStands() {
		time.Sleep(time.Until(at))
		return
	}
	for left := time.Until(at); left > 0; left = time.Until(at) {
		ts := syscall.NsecToTimespec(int64(left))
		if err := syscall.Nanosleep(&ts, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			time.Sleep(left)
		}
	}
}
