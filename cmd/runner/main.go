// Command runner is Paceline's command line. It only wires: signals, arguments and streams go in, an exit code comes out.
package main

import (
	"os"

	"paceline/cmd/runner/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.Process{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
