// Command scan verifies a profile at many seeds, and tells what no single one shows: which figures are off by themselves, and
// which only scatter.
//
//	go run ./profile/verify/scan -seeds 30 coding
//	go run ./profile/verify/scan -seeds 30 -rows agentic_coding_8k.jsonl coding
//
// With -rows it draws rows of the file of traces instead of the profile: what noise alone gives.
//
// It writes the misses of each seed, and then each figure that is held: its mean difference, by how much that scatters from
// seed to seed, and how many of those standard deviations lie between the mean and the bound.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"paceline/profile/reference"
	"paceline/profile/verify"
	"paceline/workloads/profiles/builtin"
)

func main() {
	seeds := flag.Int("seeds", 30, "seeds to draw from: 0 and on")
	draws := flag.Int("draws", verify.FullDraws, "conversations to draw at each seed")
	file := flag.String("rows", "", "file of traces whose rows are drawn instead")
	flag.Parse()
	if flag.NArg() != 1 || *seeds < 2 {
		fmt.Fprintln(os.Stderr, "usage: scan [-seeds N] [-draws N] [-rows FILE] PROFILE")
		os.Exit(2)
	}
	misses, err := run(os.Stdout, flag.Arg(0), *file, *seeds, *draws)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
	if misses > 0 {
		os.Exit(7)
	}
}

func run(out io.Writer, name, file string, seeds, draws int) (int, error) {
	p, err := builtin.Get(name)
	if err != nil {
		return 0, err
	}
	if file != "" {
		if p.Source, err = rowsOf(file); err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
	}
	var all [][]verify.Row
	misses := 0
	for seed := range uint64(seeds) {
		rows, err := verifyAt(p, seed, draws)
		if err != nil {
			return 0, err
		}
		all = append(all, rows)
		misses += writeSeed(out, seed, rows)
	}
	writeFigures(out, all)
	fmt.Fprintf(out, "%d misses at %d seeds\n", misses, seeds)
	return misses, nil
}

func verifyAt(p *builtin.Profile, seed uint64, draws int) ([]verify.Row, error) {
	expected, err := reference.Of(p.Name)
	if err != nil {
		return nil, err
	}
	drawn, err := verify.Draw(context.Background(), p, draws, seed, false, func(int) {})
	if err != nil || expected == nil {
		return drawn.Tables, err
	}
	return verify.Against(expected, drawn.Summary), nil
}

// writeSeed writes the misses of one seed and counts them.
func writeSeed(out io.Writer, seed uint64, rows []verify.Row) int {
	failed, held := verify.Failed(rows)
	fmt.Fprintf(out, "seed %2d: %d of %d held", seed, held-failed, held)
	for i := range rows {
		if r := &rows[i]; !r.OK || r.Scatter {
			fmt.Fprintf(out, "; %s %+.2f", label(r), r.Off)
		}
	}
	fmt.Fprintln(out)
	return failed
}

func label(r *verify.Row) string {
	if r.Position == "" {
		return r.Name + " " + r.Measure
	}
	return r.Name + " @" + r.Position + " " + r.Measure
}

// figure is one held comparison over all seeds.
type figure struct {
	label           string
	mean, sd, bound float64
	room            float64 // standard deviations to the bound
}

// writeFigures writes the held comparisons, those nearest to their bounds first.
func writeFigures(out io.Writer, all [][]verify.Row) {
	var list []figure
	for i := range all[0] {
		if r := &all[0][i]; r.Held() {
			list = append(list, newFigure(all, i))
		}
	}
	slices.SortStableFunc(list, func(a, b figure) int { return cmp.Compare(a.room, b.room) })
	fmt.Fprintf(out, "\n%-28s %8s %8s %7s %6s\n", "figure", "mean off", "sd", "bound", "room")
	for _, f := range list {
		fmt.Fprintf(out, "%-28s %+8.3f %8.3f %7.3g %6.1f\n", f.label, f.mean, f.sd, f.bound, f.room)
	}
}

func newFigure(all [][]verify.Row, i int) figure {
	f := figure{label: label(&all[0][i]), bound: all[0][i].Bound}
	n := float64(len(all))
	for _, rows := range all {
		f.mean += rows[i].Off / n
	}
	for _, rows := range all {
		f.sd += (rows[i].Off - f.mean) * (rows[i].Off - f.mean) / (n - 1)
	}
	f.sd = math.Sqrt(f.sd)
	f.room = (f.bound - math.Abs(f.mean)) / math.Max(f.sd, 1e-3)
	return f
}
