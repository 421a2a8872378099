//go:build !linux

package proc

import (
	"errors"
	"syscall"
)

func endWithParent() *syscall.SysProcAttr { return nil }

// Now tells that what a process used is read on Linux only.
func Now() (Usage, error) {
	return Usage{}, errors.New("read usage of this process: only known on linux")
}
