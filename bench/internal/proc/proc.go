// Package proc is what the benchmarks know of processes: children that end with their parent, and what a process used.
package proc

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// Usage is what this process has used so far.
type Usage struct {
	CPU  time.Duration // user and system, all threads
	Peak int64         // bytes of resident memory at most
}

// Less returns the CPU time since before; the peak is the later one.
func (u Usage) Less(before Usage) Usage { return Usage{u.CPU - before.CPU, u.Peak} }

// Self returns the command that starts this program once more. It ends with ctx, and on Linux with the calling thread:
// callers hold theirs by runtime.LockOSThread.
func Self(ctx context.Context, args ...string) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return Command(ctx, path, args...), nil
}

// Command is Self for another program.
func Command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = endWithParent()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
