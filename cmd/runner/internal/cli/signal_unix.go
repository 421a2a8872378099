//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreFileSize lets a write beyond the limit on the size of files fail with an error, which tells the file and counts what
// was lost, where the signal for it would end the process.
func ignoreFileSize() { signal.Ignore(syscall.SIGXFSZ) }
