//go:build linux || darwin

package sweep

import "syscall"

// Free is how many bytes may still be written below a folder; ok is false where that is not known.
func Free(dir string) (n int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:gosec,unconvert // no disk has 2^63 bytes; the types differ by system
}
