package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"paceline/mlperf/rules"
	"paceline/mlperf/standin"
)

// synthReport is what was made.
type synthReport struct {
	File   string `json:"file"`
	Name   string `json:"name"`
	Seed   string `json:"seed"`
	SHA256 string `json:"sha256"`
	standin.Facts
}

func (a *app) synthCommand() *cobra.Command {
	var o standin.Options
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "synth mlperf --out FILE",
		Short: "Make a stand-in for the data set of MLPerf Agentic Inference",
		Long: "Makes a data set with the counts of the official one of MLPerf Agentic Inference, which is not public: " + fmt.Sprint(rules.Trajectories) + " conversations,\n" +
			"about 50 MB. Its words mean nothing, and its first row and its digest say that it is a stand-in. The same seed gives the\n" +
			"same bytes.",
		Example: "  runner dataset synth mlperf --seed 1 --out standin.jsonl\n" +
			"  runner dataset synth mlperf --seed 1 --trajectories 12 --out small.jsonl",
		Args: exactly("mlperf"),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] != "mlperf" {
				return fail(exitUsage, fmt.Errorf("no data set %q can be made; there is mlperf", args[0]))
			}
			if out == "" {
				return failHint(exitUsage, errors.New("--out is missing"), "e.g. --out standin.jsonl")
			}
			if err := o.Check(); err != nil {
				return fail(exitUsage, fmt.Errorf("--trajectories: %w", err))
			}
			r, err := synth(o, out)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, r)
			}
			fmt.Fprintf(a.Stdout, "%s: a stand-in of %s, %d coding + %d workflow, %d client and %d assistant turns, %d bytes, sha256 %s\n", r.File,
				plural(r.Coding+r.Workflow, "conversation"), r.Coding, r.Workflow, r.ClientTurns, r.AssistantTurns, r.Bytes, r.SHA256)
			return nil
		},
	}
	c.Flags().Uint64Var(&o.Seed, "seed", 0, "unsigned 64-bit `number` that all of it is drawn from")
	c.Flags().StringVar(&out, "out", "", "`FILE` to write; it must be new")
	c.Flags().IntVar(&o.Trajectories, "trajectories", 0, "make only so many, in the same shares, for tests (default 613)")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// synth writes the file whole or not at all.
func synth(o standin.Options, out string) (*synthReport, error) {
	temp, err := os.CreateTemp(filepath.Dir(out), ".standin-*")
	if err != nil {
		return nil, fail(filesCode(err), err)
	}
	defer os.Remove(temp.Name())
	hash := sha256.New()
	facts, err := standin.Write(io.MultiWriter(temp, hash), o)
	if err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return nil, fail(filesCode(err), err)
	}
	if err := os.Link(temp.Name(), out); errors.Is(err, fs.ErrExist) { // unlike a rename it overwrites nothing
		return nil, failHint(exitInput, fmt.Errorf("%s is there already", out), "nothing is overwritten; choose another name")
	} else if err != nil {
		return nil, fail(filesCode(err), err)
	}
	return &synthReport{File: out, Name: standin.Name, Seed: fmt.Sprint(o.Seed), SHA256: fmt.Sprintf("%x", hash.Sum(nil)), Facts: facts}, nil
}
