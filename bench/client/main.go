// Command client measures what the client itself costs: CPU time per turn of the runner's own path against a bare socket
// loop that does the same writes and reads, side by side against the same stub server. See bench/README.md.
package main

import (
	"context"
	"os"

	"paceline/bench/internal/command"
)

func main() { os.Exit(command.Run("bench/client", errUsage, run)) }

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
