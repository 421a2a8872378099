// Command meanfull asks what a benchmark overlooks that plays one mean conversation again and again: it plays profiles whole and
// by their mean to the simulated engine, at several numbers of users and sizes of the KV cache, and sets the throughput of both
// side by side. See bench/README.md and docs/mean-replay.md.
package main

import (
	"context"
	"os"

	"paceline/bench/internal/command"
)

func main() { os.Exit(command.Run("bench/meanfull", errUsage, run)) }

func run(ctx context.Context, args []string) error {
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	b, err := o.bench()
	if err != nil {
		return err
	}
	records, err := b.playAll(ctx, o.runs(), o.Out, o.Workers, os.Stderr)
	if err != nil {
		return err
	}
	t := tabulate(b, records)
	if o.asJSON {
		return t.writeJSON(os.Stdout)
	}
	return t.write(os.Stdout)
}
