package sched

import "time"

// fineWait is how long before an instant a timer is asked to fire. Go's poller waits whole milliseconds, so that on an
// otherwise idle machine a timer fires up to a millisecond late; what is left is waited in the kernel.
const fineWait = 1100 * time.Microsecond

// waitFine waits the last stretch until at, at most fineWait. Only one goroutine at a time waits in the kernel, since its
// thread may hold a processor meanwhile; when others wait too the poller is being woken all the time, and timers are exact.
func (r *run) waitFine(at time.Time) {
	left := time.Until(at)
	if left <= 0 {
		return
	}
	select {
	case r.fine <- struct{}{}:
		waitKernel(at)
		<-r.fine
	default:
		time.Sleep(left)
	}
}

// clockStands reports whether time does not pass while a goroutine runs, as in a testing/synctest bubble: then only
// package time's own waiting brings the instant nearer.
func clockStands() bool {
	t := time.Now()
	for range 100 {
		if !time.Now().Equal(t) {
			return false
		}
	}
	return true
}
