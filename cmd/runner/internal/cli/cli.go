// Package cli is the command line: it turns flags and run files into a session, wires plugins, target and files together,
// and turns what came of it into text, JSON and exit codes. Nothing below it knows about terminals or exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// Process is what the operating system hands to a command.
type Process struct {
	Args           []string
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// app is one invocation of the command line.
type app struct {
	Process
	abort chan struct{} // closed by the second signal
}

// Main runs one command line and returns its exit code.
func Main(p Process) int {
	if len(p.Args) > 0 && p.Args[0] == wasmworker.Command {
		return wasmworker.Main(p.Args[1:], p.Stdin, p.Stdout, p.Stderr)
	}
	if len(p.Args) > 0 && p.Args[0] == native.Command {
		return native.Guard(p.Args[1:])
	}
	ignoreFileSize()
	a := &app{Process: p, abort: make(chan struct{})}
	ctx, stop := a.signals()
	defer stop()
	root := a.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		a.complain(err)
	}
	return codeOf(err)
}

// complain writes an error, one line per fault, and its hint on a line of its own.
func (a *app) complain(err error) {
	for i, line := range strings.Split(strings.TrimRight(err.Error(), "\n"), "\n") {
		prefix := "runner: "
		if i > 0 {
			prefix = "        "
		}
		fmt.Fprintln(a.Stderr, prefix+line)
	}
	if hint := hintOf(err); hint != "" {
		fmt.Fprintln(a.Stderr, "hint: "+hint)
	}
}

// signals cancels the context at the first SIGINT or SIGTERM and closes abort at the second.
func (a *app) signals() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case s := <-ch:
				if n == 0 {
					cancel(fmt.Errorf("%w by signal (%v)", context.Canceled, s))
					continue
				}
				close(a.abort)
				return
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		close(done)
		cancel(nil)
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "runner",
		Short: "Benchmark LLM serving under agentic load",
		Long: "Paceline replays multi-turn agent trajectories against an OpenAI-compatible endpoint, closed loop,\n" +
			"and reports what the endpoint gave: latencies, throughput, scores and verdicts.",
		Example: "  runner demo\n" +
			"  runner run --target http://127.0.0.1:8000/v1 --workload std/mlperf/agentic \\\n" +
			"      --input dataset=agentic.jsonl --users 8",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              cobra.ArbitraryArgs, // so that group tells what is wrong with them
		RunE:              group,
	}
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return failHint(exitUsage, err, "see "+c.CommandPath()+" --help")
	})
	root.AddCommand(a.runCommand(), a.demoCommand(), a.judgeCommand(), a.reportCommand(), a.journalCommand(),
		a.simCommand(), a.sweepCommand(), a.pluginCommand(), a.datasetCommand(), a.importCommand(), a.submitCommand(), a.auditCommand(), a.recordCommand(),
		a.versionCommand())
	readable(root)
	return root
}

// group is the body of a command that only holds others: without one of them it shows its help, with an unknown one it fails.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + near[0] + "?"
	}
	return failHint(exitUsage, errors.New(text), "see "+c.CommandPath()+" --help")
}

// exactly wants these arguments, named in the message.
func exactly(names ...string) cobra.PositionalArgs { return arguments(len(names), names) }

// atMost wants the first of these arguments, or all, or none.
func atMost(names ...string) cobra.PositionalArgs { return arguments(0, names) }

func arguments(least int, names []string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= len(names) {
			return nil
		}
		wanted := strings.Join(names, " and ")
		switch {
		case len(names) == 0:
			wanted = "no argument"
		case least == 0:
			wanted = "at most " + wanted
		}
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		return failHint(exitUsage, fmt.Errorf("%s wants %s, got %s", name, wanted, plural(len(args), "argument")), "see "+c.CommandPath()+" --help")
	}
}
