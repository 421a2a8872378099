package machine

import (
	"context"
	"io/fs"
	"strconv"
	"strings"

	"paceline/mlperf/describe"
)

// Source is a machine.
type Source struct {
	// Root holds the machine's files: os.DirFS("/").
	Root fs.FS
	// Run starts a tool of the machine and returns what it wrote; an error where it is missing, fails or says too much.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)
	// Weights is the absolute path under which the model's weights lie; its file system is told.
	Weights string
}

// Facts are what the machine told.
type Facts struct {
	Node describe.Node
	// Gaps are the fields of the node that stay empty, in the order of the template.
	Gaps []Gap
}

// Gap is a field that the machine does not tell.
type Gap struct {
	Field string `json:"field"`
	Why   string `json:"why"`
}

// Ask asks the machine.
func Ask(ctx context.Context, s Source) Facts {
	a := asker{Source: s, ctx: ctx, facts: Facts{Node: describe.Node{Number: 1}}}
	a.processors()
	a.memory()
	a.accelerators()
	a.network()
	a.storage()
	a.software()
	a.gap("cooling", "no machine tells it; it must agree with power.cooling")
	a.gap("inference_backend", "the serving software runs elsewhere or later; `doctor --target URL` asks it")
	a.gap("container_link", "where the image can be had is yours to say")
	return a.facts
}

// asker collects facts.
type asker struct {
	Source
	ctx   context.Context //nolint:containedctx // of one call of Ask
	facts Facts
}

// maxFile bounds a file of the kernel.
const maxFile = 4 << 20

// read is the text of a file without the space around it; "" where it cannot be read or is too large.
func (a *asker) read(path string) string {
	f, err := a.Root.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, 0, 4096)
	for len(text) <= maxFile {
		if len(text) == cap(text) {
			text = append(text, make([]byte, len(text))...)[:len(text)]
		}
		n, err := f.Read(text[len(text):cap(text)])
		if text = text[:len(text)+n]; err != nil {
			return strings.TrimSpace(clean(string(text)))
		}
	}
	return ""
}

// list names what a folder holds, sorted.
func (a *asker) list(path string) []string {
	entries, err := fs.ReadDir(a.Root, path)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func (a *asker) exists(path string) bool {
	_, err := fs.Stat(a.Root, path)
	return err == nil
}

// tool is what a tool wrote, "" where it told nothing.
func (a *asker) tool(name string, args ...string) string {
	out, err := a.Run(a.ctx, name, args...)
	if err != nil {
		return ""
	}
	return clean(string(out))
}

func (a *asker) gap(field, why string) {
	a.facts.Gaps = append(a.facts.Gaps, Gap{Field: field, Why: why})
}

// clean drops what is no printable text: a fact ends in a file and on a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && r != '\uFFFD' {
			return r
		}
		return -1
	}, s)
}

// field is the value of the first line "key<space>: value".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// size tells bytes in the unit that vendors use: decimal for storage, binary for memory, no fraction above ten.
func size(bytes, step uint64) string {
	units := []string{"B", "KB", "MB", "GB", "TB", "PB", "EB"}
	value, rest, i := bytes, uint64(0), 0
	for value >= step && i < len(units)-1 {
		value, rest, i = value/step, value%step, i+1
	}
	if tenths := rest * 10 / step; value < 10 && tenths > 0 {
		return strconv.FormatUint(value, 10) + "." + strconv.FormatUint(tenths, 10) + " " + units[i]
	}
	return strconv.FormatUint(value, 10) + " " + units[i]
}
