// Package command is what the mains of the benchmarks share.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

// Run runs a benchmark with the arguments of this process until it is done or interrupted, and returns the exit code: 0, 1 where
// it failed, 2 where its error wraps usage. The calling thread is held, since children end with the thread that started them.
func Run(name string, usage error, run func(ctx context.Context, args []string) error) int {
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, usage):
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	return 1
}
