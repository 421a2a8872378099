// Command client measures what the client itself costs: CPU time per turn of the runner's own path against a bare socket
// loop that does the same writes and reads, side by side against the same stub server. See bench/README.md.
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
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench/client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == roleArg {
		return play(ctx, args[1], os.Stdin, os.Stdout)
	}
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	return compare(ctx, o, os.Stdout)
}
