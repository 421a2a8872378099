package machine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// Bounds of a tool.
const (
	toolTime   = 20 * time.Second
	toolOutput = 4 << 20
)

var errTooMuch = errors.New("the tool wrote too much")

// This is the machine that the program runs on. Its tools get a path and a plain locale of the environment, nothing else.
func This(weights string) Source {
	return Source{Root: os.DirFS("/"), Run: run, Weights: weights}
}

func run(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	var out bounded
	c := exec.CommandContext(ctx, name, args...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	c.Stdout = &out
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// bounded is a buffer that refuses more than toolOutput bytes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > toolOutput {
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}
