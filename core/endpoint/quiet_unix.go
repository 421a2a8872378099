//go:build linux || darwin || freebsd || netbsd || openbsd

package endpoint

import (
	"crypto/tls"
	"net"
	"syscall"
)

// quiet reports whether an idle connection looks alive: nothing to read and not at its end. It asks the kernel without
// waiting; a connection that is no socket is taken to be alive, and the one repetition of a request covers it.
func quiet(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	alive := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		alive = n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK)
		return true
	})
	return err == nil && alive
}
