package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"paceline/core/journal"
	"paceline/mlperf/export"
	"paceline/mlperf/pack"
)

// packFlags are those of submit pack.
type packFlags struct {
	o        pack.Options
	out      string
	seedSets string
	json     bool
}

func (a *app) submitPackCommand() *cobra.Command {
	var f packFlags
	c := &cobra.Command{
		Use:   "pack SWEEPDIR|RUNDIR...",
		Short: "Make a package of runs",
		Long: "Makes a package for MLPerf Endpoints of the finished points of sweeps, of single run folders, or of run folders of the\n" +
			"reference client (point.yaml, config.yaml, performance/result_summary.json ...), never of both clients. DIR gets\n" +
			"<organization>/<submission>/, and of Paceline's runs the run folders for the service under runs/. What may not be packed is\n" +
			"refused with every reason at once and exit code 3: among others a point that was resumed, lost a record, had an invalid\n" +
			"client, used --dev-plugin, took its cache along from the point before, or has token counts that no counter counted.\n" +
			"--rehearsal lets stand-in data, a simulated clock and what else makes a run unofficial pass, and writes so into the package.\n" +
			"Data sets and content stores stay out.\n\n" + honesty,
		Example: "  runner submit template --out system.yaml\n" +
			"  runner submit pack results/sweep --system system.yaml --cohort 2026-12-C0 \\\n      --out package\n" +
			"  runner submit pack results/sweep --system facts.yaml --system system.yaml \\\n      --out package --rehearsal\n" +
			"  runner submit pack reference-runs/c* --out package",
		Args: someArgs("SWEEPDIR or RUNDIR"),
		RunE: func(c *cobra.Command, args []string) error { return a.submitPack(c.Context(), &f, args) },
	}
	c.Flags().StringArrayVar(&f.o.System, "system", nil, "`FILE` that describes the system, from `submit template`; of several the last one wins, field by field")
	c.Flags().StringVar(&f.out, "out", "", "new or empty `folder` for the package")
	c.Flags().BoolVar(&f.o.Rehearsal, "rehearsal", false, "pack what is no result, and say so everywhere")
	c.Flags().StringVar(&f.o.Model, "model", "", "in a rehearsal: the rules' `name` of the model of runs that are of no preset")
	c.Flags().StringVar(&f.o.Division, "division", "", "`division` in place of the file's: Standardized, Serviced or RDI")
	c.Flags().StringVar(&f.o.Organization, "org", "", "`name` of the organization in place of the file's")
	c.Flags().StringVar(&f.o.Submission, "submission", "", "`name` of the submission's folder in place of the file's")
	c.Flags().StringVar(&f.o.Cohort, "cohort", "", "`cohort` that it is for, e.g. 2026-12-C0 (default: the one that the runs were made for)")
	c.Flags().StringVar(&f.seedSets, "seed-sets", "", "`FILE` with seed sets that are newer than this runner")
	c.Flags().StringVar(&f.o.Src, "src", "", "`folder` that becomes src/<implementation> (default: a README.md from the description)")
	c.Flags().StringVar(&f.o.Docs, "docs", "", "`folder` whose files go into docs/")
	c.Flags().BoolVar(&f.json, "json", false, "write what was packed, or the reasons why not, as JSON")
	return c
}

func (a *app) submitPack(ctx context.Context, f *packFlags, args []string) error {
	if f.out == "" {
		return failHint(exitUsage, errors.New("--out is missing"), "--out DIR, new or empty, gets the package")
	}
	if f.seedSets != "" {
		var err error
		if f.o.SeedSets, err = readBounded(f.seedSets, 1<<20); err != nil {
			return fail(exitInput, err)
		}
	}
	f.o.Plugin = a.packedPlugin(ctx)
	found, err := pack.Find(args...)
	if err != nil {
		return fail(exitInput, err)
	}
	p, err := pack.Make(found, &f.o)
	if err != nil {
		if refused, ok := errors.AsType[*pack.Refused](err); ok && f.json {
			if err := writeJSON(a.Stdout, map[string]any{"packed": false, "reasons": refused.Reasons}); err != nil {
				return err
			}
		}
		return fail(exitInput, err)
	}
	if err := p.Write(f.out); err != nil {
		return fail(filesCode(err), err)
	}
	root := filepath.Join(f.out, filepath.FromSlash(p.Root))
	if f.json {
		return writeJSON(a.Stdout, map[string]any{"packed": true, "root": root, "package": p.Meta})
	}
	lines(a.Stderr, "left out: ", p.Meta.LeftOut)
	lines(a.Stderr, "note: ", p.Meta.Notes)
	what := ""
	if p.Meta.Rehearsal {
		what = ", a rehearsal"
	}
	fmt.Fprintf(a.Stdout, "packed %s of %s%s: %s\n%s\n", plural(len(p.Meta.Points), "point"), p.Meta.Model, what, root, p.Meta.Note)
	return nil
}

// packedPlugin finds the bytes of the sandboxed plugins of runs, where those have not changed since.
func (a *app) packedPlugin(ctx context.Context) func(*export.Run, journal.Plugin) ([]byte, error) {
	return func(r *export.Run, p journal.Plugin) ([]byte, error) {
		f := a.finder(false)
		f.offline = true
		m, err := f.find(ctx, p.Name, r.Settings.Plugins)
		if err != nil || m.Native != nil || m.Digest != p.SHA256 {
			return nil, nil //nolint:nilerr,nilnil // who recomputes the package then needs it from elsewhere, and is told so
		}
		return m.Bytes, nil
	}
}

// readBounded reads a file of at most so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", path, most)
	}
	return text, nil
}

// someArgs wants at least one argument, named in the message.
func someArgs(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		_, command, _ := strings.Cut(c.CommandPath(), " ")
		return failHint(exitUsage, fmt.Errorf("%s wants at least one %s", command, name), "see "+c.CommandPath()+" --help")
	}
}
