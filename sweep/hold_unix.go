//go:build unix && !solaris && !aix

package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Hold makes this process the only one that plays the sweep of a folder, until release or its end, however it comes.
func Hold(dir string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, holdFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("hold sweep folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another runner plays the sweep of %s now", dir)
		}
		return func() {}, nil // a file system without locks
	}
	return func() { _ = f.Close() }, nil
}
