//go:build !linux

package sched

import "time"

// waitKernel sleeps until at. Here package time's own timers are the most exact that there is.
func waitKernel(at time.Time) { time.Sleep(time.Until(at)) }
