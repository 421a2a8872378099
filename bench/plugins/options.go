package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Options is one measurement, as the flags give it.
type Options struct {
	Rounds  int
	Turns   int
	Opens   int
	Modules []named
	asJSON  bool
}

// named is a module by the name of its language.
type named struct{ name, file string }

var errUsage = errors.New("see go run ./bench/plugins --help")

const help = `Usage: go run ./bench/plugins [flags]

Measures calls of 100 B, 10 KB and 1 MB over each transport in turn, and prints medians and ratios; then how long a plugin
takes to open with a cold and a warm cache; then the scoring of 30,000 turns of 1 KB.

Examples:
  go run ./bench/plugins
  go run ./bench/plugins --rounds 5 --turns 3000
  go run ./bench/plugins --module rust=echo_rust.wasm --module c=echo_c.wasm --json

Flags:
`

func parse(args []string, errOut io.Writer) (*Options, error) {
	o := &Options{}
	fs := flag.NewFlagSet("bench/plugins", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprint(errOut, help)
		fs.PrintDefaults()
	}
	fs.IntVar(&o.Rounds, "rounds", 15, "`rounds` of calls; each transport has its turn in each")
	fs.IntVar(&o.Turns, "turns", 30_000, "`turns` to score; 0: leave scoring out")
	fs.IntVar(&o.Opens, "opens", 3, "`times` that each module is opened cold and warm; 0: leave opening out")
	fs.Func("module", "`LANGUAGE=FILE` of another plugin to open, a module or an executable with its manifest; may be repeated", func(text string) error {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return fmt.Errorf("%q is not LANGUAGE=FILE", text)
		}
		o.Modules = append(o.Modules, named{name, file})
		return nil
	})
	fs.BoolVar(&o.asJSON, "json", false, "print one JSON document")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("bench/plugins: bad flags: %w", errUsage)
	}
	switch {
	case fs.NArg() > 0:
		return nil, fmt.Errorf("bench/plugins: unknown argument %q\n%w", fs.Arg(0), errUsage)
	case o.Rounds < 1 || o.Rounds > 1000, o.Turns < 0 || o.Turns > 1_000_000, o.Opens < 0 || o.Opens > 100:
		return nil, fmt.Errorf("bench/plugins: --rounds is 1 to 1000, --turns 0 to 1000000, --opens 0 to 100\n%w", errUsage)
	}
	return o, nil
}
