//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package endpoint

import "net"

// quiet takes every idle connection to be alive; the one repetition of a request covers those that are not.
func quiet(net.Conn) bool { return true }
