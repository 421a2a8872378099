// Command plugins measures what a call of a plugin costs, by transport and size, side by side with the bare means under each;
// how long opening takes; and how fast a run is scored. See bench/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"os"

	"paceline/bench/internal/command"
	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// pipeRole makes this program the far end of a bare pipe.
const pipeRole = "pipe-echo"

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wasmworker.Command:
			os.Exit(wasmworker.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case native.Command:
			os.Exit(native.Guard(os.Args[2:]))
		case pipeRole:
			bounce()
			return
		}
	}
	os.Exit(command.Run("bench/plugins", errUsage, run))
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	return measure(ctx, o, os.Stdout)
}

// bounce sends each length-prefixed frame of its standard input back.
func bounce() {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), os.Stdout
	var head [4]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		frame := make([]byte, 4+binary.LittleEndian.Uint32(head[:]))
		copy(frame, head[:])
		if _, err := io.ReadFull(in, frame[4:]); err != nil {
			return
		}
		if _, err := out.Write(frame); err != nil {
			return
		}
	}
}
