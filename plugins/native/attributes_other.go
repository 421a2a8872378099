//go:build !unix

package native

import "syscall"

func guardAttributes() *syscall.SysProcAttr { return nil }
