//go:build unix && !linux

package native

import (
	"syscall"
)

// adoptOrphans does nothing: this system gives orphans to its first process.
func adoptOrphans() {}

// attributes puts the plugin into a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// members is the plugin's process group; processes that left it are not known here.
func (f *family) members() []int { return []int{-f.pid} }
