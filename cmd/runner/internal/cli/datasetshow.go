package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"paceline/shape"
)

func (a *app) showDatasetCommand() *cobra.Command {
	var o importOptions
	var page string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Draw what a data set is like: turns, lengths, waits, shared beginnings",
		Long: "Reads a trace file as `runner import` does and draws its shape: how many turns the trajectories have, how long prompts and\n" +
			"answers are and how they grow, what waits lie between, and how much of the prompts was there before. Nothing is sent.",
		Example: "  runner dataset show spans.json\n" +
			"  runner dataset show agentic.jsonl --format std/mlperf/agentic --html shape.html",
		Args: exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.shapeOf(c.Context(), args[0], &o)
			if err != nil {
				return err
			}
			if page != "" {
				if err := writeShape(page, s); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(a.Stdout, s)
			}
			_, err = a.Stdout.Write(s.Text())
			return err
		},
	}
	c.Flags().StringVar(&o.format, "format", "auto", "`NAME` of a format, auto to find it out, or a workload PLUGIN/COMPONENT that reads one file")
	c.Flags().StringVar(&page, "html", "", "draw it into this new HTML `FILE` too")
	c.Flags().StringArrayVar(&o.set, "set", nil, "`key=value` of the component's configuration, e.g. broken=skip; may be repeated")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// shapeOf plans every trajectory of a file and counts it.
func (a *app) shapeOf(ctx context.Context, file string, o *importOptions) (*shape.Shape, error) {
	im, b, err := a.newImporter(o)
	if err != nil {
		return nil, err
	}
	defer im.progress.End()
	defer func() { b.stage.close() }()
	if err := im.open(ctx, b, file); err != nil {
		return nil, err
	}
	defer func() { _ = im.workload.Close() }()
	info := im.workload.Info()
	if info.Trajectories == 0 || info.Live {
		return nil, fail(exitUsage, fmt.Errorf("%s makes trajectories without end or live ones, and only those of a file have a shape", b.run.Workload.Name))
	}
	all := shape.NewCollector()
	for i := range info.Trajectories {
		t, err := im.workload.Plan(ctx, i, 0)
		if err != nil {
			return nil, im.explain(ctx, b, err)
		}
		complete(t, &info)
		all.Add(t)
		im.progress.Planned(i+1, info.Trajectories)
	}
	format := o.format
	if name := im.progress.Found(); name != "" && format == "auto" {
		format = name
	}
	notes := []string{fmt.Sprintf("format %s, %d bytes, sha256 %s", format, im.input.Size, im.input.SHA256)}
	for _, loss := range info.Losses {
		notes = append(notes, "not carried over: "+loss)
	}
	return all.Shape(file, notes), nil
}

// writeShape writes the page; it overwrites nothing.
func writeShape(file string, s *shape.Shape) error {
	text, err := s.HTML()
	if err != nil {
		return fail(exitInput, err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failHint(exitUsage, fmt.Errorf("--html: %s is there already", file), "nothing is overwritten; give another name")
	}
	if err != nil {
		return fail(filesCode(err), err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file)
		return fail(filesCode(err), err)
	}
	return nil
}
