//go:build unix

package native

import "syscall"

// guardAttributes puts the guard into a group of its own, so that an interrupt of the terminal does not reach it.
func guardAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
