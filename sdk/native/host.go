package native

import (
	"encoding/json"
	"io"
	"os"
	"sync"

	"paceline/sdk"
)

// host gives a component its inputs, which are open descriptors from 3 on, and takes its log lines to the standard error,
// as one JSON object a line, as hclog writes them.
type host struct {
	mu     sync.Mutex
	out    io.Writer
	inputs map[uint32]*os.File
}

func newHost(out io.Writer) *host { return &host{out: out, inputs: map[uint32]*os.File{}} }

// Log implements sdk.Host.
func (h *host) Log(level sdk.Level, text string) {
	names := []string{"debug", "info", "warn", "error"}
	entry := struct {
		Level   string `json:"@level"`
		Message string `json:"@message"`
	}{names[min(int(level), len(names)-1)], text}
	line, err := json.Marshal(entry)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.out.Write(append(line, '\n')) // there is nobody else to tell
}

// firstInput is the descriptor of the input with handle 0.
const firstInput = 3

// ReadInput implements sdk.Host.
func (h *host) ReadInput(handle uint32, p []byte, offset int64) int64 {
	if offset < 0 {
		return sdk.ReadOffset
	}
	f := h.input(handle)
	if f == nil {
		return sdk.ReadNoInput
	}
	n, err := f.ReadAt(p, offset)
	if n == 0 && err != nil && err != io.EOF {
		return sdk.ReadFailed
	}
	return int64(n)
}

func (h *host) input(handle uint32) *os.File {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, ok := h.inputs[handle]; ok {
		return f
	}
	const most = 1 << 10
	if handle >= most {
		return nil
	}
	f := os.NewFile(firstInput+uintptr(handle), "input")
	h.inputs[handle] = f
	return f
}
