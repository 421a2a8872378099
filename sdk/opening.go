package sdk

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"paceline/sdk/contract"
)

// Opening is what a component is opened with, and where its opening function leaves what the host shall know.
type Opening struct {
	Config   []byte // JSON
	Seed     []byte // 32 bytes
	Inputs   []*Input
	Granted  []Capability
	Prepared []byte // what an earlier opening with the same configuration and inputs left in Prepare; empty: there was none
	Log      Logger

	// Prepare is for an index or the like that is slow to make, at most 64 MiB: the host keeps it and gives it to later
	// openings of this component with the same configuration and inputs.
	Prepare []byte
	// Losses tells what the source has and the contract cannot carry (importers).
	Losses []string
}

// Input returns the input of that name; it is an error that names it when the run gives none.
func (o *Opening) Input(name string) (*Input, error) {
	for _, in := range o.Inputs {
		if in.Name == name {
			return in, nil
		}
	}
	return nil, Faults{{Input: name, Code: "missing-input", Message: fmt.Sprintf("input %s is missing", name), Expected: "a file"}}
}

// Has reports whether a capability was granted.
func (o *Opening) Has(c Capability) bool { return slices.Contains(o.Granted, c) }

// Input is one data set, read in place. It holds no buffer; read it in blocks of 64 KiB or more.
type Input struct {
	Name   string
	SHA256 []byte // of the whole input; the host checked it
	Path   string // native plugins only

	size   int64
	handle uint32
	host   Host
}

// Size is the input's length in bytes.
func (in *Input) Size() int64 { return in.size }

// ReadAt reads as io.ReaderAt asks.
func (in *Input) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		if off < 0 {
			return n, fmt.Errorf("read input %s: negative offset", in.Name)
		}
		got := in.host.ReadInput(in.handle, p[n:], off)
		if got < 0 {
			return n, fmt.Errorf("read input %s at %d: %w", in.Name, off, readError(got))
		}
		if got == 0 {
			return n, io.EOF
		}
		n += int(got)
		off += got
	}
	return n, nil
}

// Faults of reading an input.
var (
	ErrNoInput    = errors.New("no such input, or not granted")
	ErrInputRange = errors.New("outside of memory or of the input's range")
	ErrInputRead  = errors.New("the host could not read it")
)

// Results of Host.ReadInput below 0.
const (
	ReadNoInput  int64 = -1
	ReadMemory   int64 = -2
	ReadOffset   int64 = -3
	ReadFailed   int64 = -4
	ReadNotInUse int64 = -5
)

func readError(code int64) error {
	switch code {
	case ReadNoInput, ReadNotInUse:
		return ErrNoInput
	case ReadMemory, ReadOffset:
		return ErrInputRange
	}
	return ErrInputRead
}

// Host is what an instance asks of the one who runs it. In a wasm guest it is the ABI's imports, in tests it is memory.
type Host interface {
	Log(level Level, text string)
	// ReadInput copies bytes of an input into p. It returns how many, 0 at the end, or one of the Read codes.
	ReadInput(handle uint32, p []byte, offset int64) int64
}

// Level is the weight of a log line.
type Level uint32

// Levels of log lines.
const (
	LevelDebug   Level = 0
	LevelInfo    Level = 1
	LevelWarning Level = 2
	LevelError   Level = 3
)

// Logger writes lines for the person who runs or writes the plugin. They are bound in number and never part of a result.
type Logger struct{ host Host }

// Debugf logs what only the plugin's author needs.
func (l Logger) Debugf(format string, args ...any) { l.logf(LevelDebug, format, args...) }

// Infof logs what is good to know.
func (l Logger) Infof(format string, args ...any) { l.logf(LevelInfo, format, args...) }

// Warnf logs what may be wrong.
func (l Logger) Warnf(format string, args ...any) { l.logf(LevelWarning, format, args...) }

// Errorf logs what is wrong.
func (l Logger) Errorf(format string, args ...any) { l.logf(LevelError, format, args...) }

func (l Logger) logf(level Level, format string, args ...any) {
	if l.host != nil {
		l.host.Log(level, fmt.Sprintf(format, args...))
	}
}

func newOpening(r *contract.OpenRequest, host Host) *Opening {
	o := &Opening{Config: r.Config, Seed: r.Seed, Granted: r.Granted, Prepared: r.Prepared, Log: Logger{host}}
	for _, in := range r.Inputs {
		o.Inputs = append(o.Inputs, &Input{Name: in.Name, SHA256: in.Sha256, Path: in.Path, size: int64(in.Size), handle: in.Handle, host: host})
	}
	return o
}
