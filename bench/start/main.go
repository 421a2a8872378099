// Command start measures how long a user waits: from the start of the runner's process to its first request, with caches
// that are cold and with caches that an earlier run has filled. See bench/README.md.
package main

import (
	"context"
	"os"

	"paceline/bench/internal/command"
)

func main() { os.Exit(command.Run("bench/start", errUsage, run)) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	return measure(ctx, o, os.Stdout)
}
