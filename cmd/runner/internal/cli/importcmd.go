package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paceline/traces"
)

// importOptions say what is imported, and how.
type importOptions struct {
	format    string
	anonymize bool
	out       string
	set       []string
}

// importReport is what came of an import.
type importReport struct {
	File       string         `json:"file"`
	SHA256     string         `json:"sha256"`
	Size       int64          `json:"size"`
	Workload   string         `json:"workload"`
	Format     string         `json:"format"`
	Out        string         `json:"out"`
	OutSHA256  string         `json:"out_sha256"`
	OutSize    int64          `json:"out_size"`
	Anonymized bool           `json:"anonymized"`
	Index      indexSize      `json:"index,omitzero"`
	Summary    traces.Summary `json:"summary"`
	Losses     []string       `json:"losses"`
}

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "import FILE --out FILE",
		Short: "Turn a trace file into trajectories in the normal form",
		Long: "Reads a trace file by one of the formats of std/import, or by a workload of another plugin, and writes its trajectories in\n" +
			"the normal form (schemas/trajectory/v1), one a line. A run can also read the file itself:\n" +
			"  runner run --workload std/import/otel --input trace=FILE\n" +
			"docs/import.md lists the formats and what each of them loses.",
		Example: "  runner import spans.json --out spans.trajectories.jsonl\n" +
			"  runner import session.jsonl --format claude-code --anonymize --out shared.jsonl\n" +
			"  runner import big.jsonl --format openai --set broken=skip --out big.trajectories.jsonl",
		Args: exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.out == "" {
				return failHint(exitUsage, errors.New("--out is missing"), "e.g. --out trajectories.jsonl")
			}
			r, err := a.importFile(c.Context(), args[0], &o)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, r)
			}
			a.showImport(r)
			return nil
		},
	}
	c.Flags().StringVar(&o.format, "format", "auto", "`NAME` of a format, auto to find it out, or a workload PLUGIN/COMPONENT that reads one file")
	c.Flags().BoolVar(&o.anonymize, "anonymize", false, "replace every text; lengths, structure, times and shared beginnings stay")
	c.Flags().StringVar(&o.out, "out", "", "`FILE` to write; it must be new")
	c.Flags().StringArrayVar(&o.set, "set", nil, "`key=value` of the component's configuration, e.g. broken=skip; may be repeated")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// showImport writes what came of an import as a table.
func (a *app) showImport(r *importReport) {
	s := &r.Summary
	rows := [][2]string{
		{"file", fmt.Sprintf("%s, %d bytes, sha256 %s", r.File, r.Size, r.SHA256)},
		{"format", r.Format},
		{"trajectories", fmt.Sprint(s.Trajectories)},
		{"turns", fmt.Sprintf("%d, at most %d in one, %d branches beside main lines", s.Turns, s.MostTurns, s.Branches)},
		{"recorded answers", fmt.Sprint(s.Answers)},
		{"tokens", tokensText(s)},
		{"waits", fmt.Sprintf("%s in all, the longest %s", s.Wait.Round(time.Millisecond), s.Longest.Round(time.Millisecond))},
		{"written", fmt.Sprintf("%s, %d bytes, sha256 %s", r.Out, r.OutSize, r.OutSHA256)},
	}
	if r.Index.Bytes > 0 {
		rows = slices.Insert(rows, 2, [2]string{"records", fmt.Sprintf("%d, their index takes %.1f of at most %d MiB", r.Index.Records, float64(r.Index.Bytes)/(1<<20), r.Index.Most>>20)})
	}
	if r.Anonymized {
		rows = append(rows, [2]string{"anonymized", "every text is replaced"})
	}
	for _, row := range rows {
		fmt.Fprintf(a.Stdout, "%-17s %s\n", row[0], row[1])
	}
	for _, loss := range r.Losses {
		fmt.Fprintf(a.Stdout, "not carried over: %s\n", loss)
	}
}

func tokensText(s *traces.Summary) string {
	if s.Told == 0 && s.Filler == 0 {
		return "none told"
	}
	var of []string
	if s.Told > 0 {
		of = append(of, fmt.Sprintf("usage of %d turns", s.Told))
	}
	if s.Filler > 0 {
		of = append(of, plural(s.Filler, "length"))
	}
	return fmt.Sprintf("%d input (%d cached), %d output, by %s", s.Input, s.Cached, s.Output, strings.Join(of, " and "))
}
