// Command start measures how long a user waits: from the start of the runner's process to its first request, with caches
// that are cold and with caches that an earlier run has filled. See bench/README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	runtime.LockOSThread() // children end with the thread that started them
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = measure(ctx, o, os.Stdout)
	}
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench/start:", err)
		os.Exit(1)
	}
}
