// Command tokens lays the token counts of a run's target beside those of its counter, turn by turn, as a Markdown table.
// docs/token-counts.md has one, and explains the differences.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"paceline/bench/internal/command"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/verdict"
)

var errUsage = errors.New("usage: tokens RUN, the folder of a run with a counter")

func main() { os.Exit(command.Run("bench/tokens", errUsage, run)) }

func run(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	r, err := journal.Read(args[0])
	if err != nil {
		return err
	}
	judgements, err := journal.ReadJudgements(args[0])
	if err != nil {
		return err
	}
	i := slices.IndexFunc(judgements, func(j verdict.Judgement) bool { return j.Kind == "counter" })
	if i < 0 || len(judgements[i].Counts) != len(r.Samples) {
		return fmt.Errorf("%s: no counter counted this run; runner judge --count COMPONENT does", args[0])
	}
	return table(os.Stdout, r.Samples, judgements[i].Counts)
}

func table(w io.Writer, samples []sample.Sample, counts []verdict.Count) error {
	rows := []string{
		"| turn | outcome | usage: input | counter: input | difference | usage: output | counter: output | difference | counter: first, after | ends with | remark |",
		"|---|---|---|---|---|---|---|---|---|---|---|",
	}
	for i := range samples {
		rows = append(rows, row(&samples[i], &counts[i]))
	}
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, r); err != nil {
			return err
		}
	}
	return nil
}

func row(s *sample.Sample, c *verdict.Count) string {
	var in, out *uint64
	finish := ""
	if a := s.Answer; a != nil {
		finish = a.FinishReason
		if a.Usage.Reported {
			in, out = &a.Usage.PromptTokens, &a.Usage.CompletionTokens
		}
	}
	return fmt.Sprintf("| %s %d | %s | %s | %s | %s | %s | %s | %s | %s, %s | %s | %s |", s.Trajectory, s.Turn, s.Outcome,
		number(in), number(c.Input), less(in, c.Input), number(out), number(c.Output), less(out, c.Output),
		number(c.FirstChunk), number(c.AfterFirstChunk), finish, c.Reason)
}

func number(n *uint64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatUint(*n, 10)
}

// less is how many more the target told than the counter counted.
func less(told, counted *uint64) string {
	if told == nil || counted == nil {
		return "-"
	}
	return fmt.Sprintf("%+d", int64(*told)-int64(*counted))
}
