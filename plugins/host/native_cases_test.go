//go:build linux

package host

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"paceline/plugins/lock"
)

// The cases 68 to 75 for native plugins. 70 does not hold: their memory is not bounded. 72 has no counterpart: nothing of them
// is kept compiled. 73 is TestLoadNativeRefuses and package native's TestContracts and TestRefusedStarts; 74 stands there too.
// 75: what is native is never taken for deterministic, see package wire.

// TestCase68Native calls a plugin that never answers, again and again: each call ends by the limit, and nothing piles up.
func TestCase68Native(t *testing.T) {
	h := newHost(t, Options{})
	c := openNative(t, loadNative(t, h), "work", "plan", "hang", lock.Limits{Plan: 200 * time.Millisecond})
	cause := func() {
		err := plan(t, c.Conn(), 1)
		// Where the machine is so busy that a new process is not there in time, starting it ends by the same limit.
		if e, ok := errors.AsType[*Error](err); !ok || e.Cause != WallTimeout {
			t.Errorf("got %v", err)
		}
	}
	cause()
	before := runtime.NumGoroutine()
	for range 20 {
		cause()
	}
	if n := h.Workers(); n > 1 {
		t.Errorf("%d processes are left", n)
	}
	for range 200 { // grpc's own goroutines end a little after their connection
		if runtime.NumGoroutine()-before <= 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines more than before", runtime.NumGoroutine()-before)
}

// TestCase71Native: a call that ends the process spoils no other, in any order and with any number of processes.
func TestCase71Native(t *testing.T) {
	h := newHost(t, Options{})
	p := loadNative(t, h)
	for _, how := range []string{"panic", "exit"} {
		c := openNative(t, p, "work", "plan", how, lock.Limits{Plan: 20 * time.Second})
		for _, index := range []uint64{0, 2, 1, 0, 1, 1, 2} {
			if err := plan(t, c.Conn(), index); (err != nil) != (index == 1) {
				t.Errorf("%s, index %d: %v", how, index, err)
			}
		}
		var wg sync.WaitGroup
		for n := range uint64(12) {
			wg.Go(func() {
				if err := plan(t, c.Conn(), n%3); (err != nil) != (n%3 == 1) {
					t.Errorf("%s, index %d among others: %v", how, n%3, err)
				}
			})
		}
		wg.Wait()
	}
}
