package journal

import (
	"errors"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"
)

// appendFile is what the writer needs of a file that is open for appending.
type appendFile interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// frames appends independent zstd frames to one file, each with one write. It belongs to one goroutine, Sync excepted. Its
// coder is its own, made where it is used, so that no coder crosses the border of a synctest bubble.
type frames struct {
	path    string
	file    appendFile
	enc     *zstd.Encoder
	size    int64 // of the whole frames in the file
	scratch []byte
}

// openFrames opens path for appending; with fresh it must not exist yet.
func openFrames(path string, fresh bool) (*frames, error) {
	flags := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if fresh {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	x, err := newFrames(path, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	x.size = info.Size()
	return x, nil
}

func newFrames(path string, f appendFile) (*frames, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, fmt.Errorf("make zstd coder: %w", err)
	}
	return &frames{path: path, file: f, enc: enc}, nil
}

// append writes lines as one frame. After an error the file is cut back to its last whole frame, so that a later frame,
// once there is room again, stands where a reader finds it.
func (x *frames) append(lines []byte) error {
	x.scratch = x.enc.EncodeAll(lines, x.scratch[:0])
	n, err := x.file.Write(x.scratch)
	if err != nil {
		err = fmt.Errorf("append to %s: %w", x.path, err)
		if n > 0 {
			if cut := x.file.Truncate(x.size); cut != nil {
				x.size += int64(n) // the reader steps over it
				err = errors.Join(err, fmt.Errorf("cut %s back: %w", x.path, cut))
			}
		}
		return err
	}
	x.size += int64(n)
	return nil
}

// sync may run beside append.
func (x *frames) sync() error {
	if err := x.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", x.path, err)
	}
	return nil
}

func (x *frames) close() error {
	err := errors.Join(x.sync(), x.enc.Close())
	if closed := x.file.Close(); closed != nil {
		err = errors.Join(err, fmt.Errorf("close %s: %w", x.path, closed))
	}
	return err
}
