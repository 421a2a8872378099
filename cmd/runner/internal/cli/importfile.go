package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paceline/cmd/runner/internal/config"
	"paceline/core/trajectory"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/wire"
	"paceline/traces"
)

// importer is one import on its way.
type importer struct {
	app      *app
	options  *importOptions
	report   *importReport
	input    wire.Input
	workload *wire.Workload
	progress *importProgress
}

// importPlugin is the plugin whose components are the formats.
const importPlugin = "std/import"

// Limits of the plugin while importing: the most that a run file may ask for.
const (
	importOpen = 10 * time.Minute
	importPlan = 20 * time.Second
)

// workloadOf is the component of a format's name.
func workloadOf(format string) string {
	if strings.Contains(format, "/") {
		return format
	}
	return importPlugin + "/" + format
}

// importFile opens the workload over the file, plans every trajectory, and writes them.
func (a *app) importFile(ctx context.Context, file string, o *importOptions) (*importReport, error) {
	if _, err := os.Lstat(o.out); err == nil {
		return nil, failHint(exitInput, fmt.Errorf("%s is there already", o.out), "nothing is overwritten; choose another name")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fail(filesCode(err), err)
	}
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
	if err := im.write(ctx, b); err != nil {
		return nil, err
	}
	return im.report, nil
}

// newImporter readies an importer, and what opens its workload. The caller ends the progress and closes the stage.
func (a *app) newImporter(o *importOptions) (*importer, *builder, error) {
	settings, err := config.Values("--set", o.set)
	if err != nil {
		return nil, nil, fail(exitUsage, err)
	}
	im := &importer{app: a, options: o, progress: startImportProgress(a.Stderr)}
	run := config.Defaults()
	// Nothing is measured meanwhile, so a large file may take its time, and the largest index its room.
	run.Limits.Memory, run.Limits.Open, run.Limits.Plan = "1GiB", importOpen, importPlan
	run.Workload = config.Workload{Name: workloadOf(o.format), Config: settings, Inputs: map[string]string{}}
	return im, &builder{app: a, run: &run, quiet: true, heard: im.progress.heard}, nil
}

// open opens the workload. Its inputs are checked by planning all of them.
func (im *importer) open(ctx context.Context, b *builder, file string) error {
	full := b.run.Workload.Name
	if err := b.load(ctx, []string{full}, nil); err != nil {
		return err
	}
	var err error
	if b.run.Workload.Inputs, err = b.onlyInput(file); err != nil {
		return formatHint(err, b, im.options.format)
	}
	if err := b.openInputs(); err != nil {
		return err
	}
	if err := b.enforce(); err != nil {
		return err
	}
	if err := b.describe(ctx); err != nil {
		return err
	}
	if err := b.configure(true); err != nil {
		return err
	}
	p, o, err := b.options(full, b.run.Workload.Config)
	if err != nil {
		return err
	}
	o.Inputs, o.Granted = b.inputs[full], []lock.Capability{lock.CapabilityInputs}
	im.input = o.Inputs[0]
	im.progress.Size(im.input.Size)
	if im.workload, err = p.OpenWorkload(ctx, o); err != nil {
		return im.refused(b, err)
	}
	return nil
}

// refused is why the file was not imported. Of a file that is to be anonymous no text is told.
func (im *importer) refused(b *builder, err error) error {
	if im.options.anonymize {
		err = withoutTexts(err)
	}
	out := b.refused(err, []wire.Input{im.input})
	faults, ok := errors.AsType[*wire.FaultsError](err)
	if ok && strings.HasPrefix(b.run.Workload.Name, importPlugin+"/") && slices.ContainsFunc(faults.Faults, func(f wire.Fault) bool { return f.Line > 0 && f.Code != "index-too-large" }) {
		return failHint(codeOf(out), out, "--set broken=skip leaves broken records out and counts them")
	}
	return out
}

// anonymousLosses gives losses without what they quote of the file. Of a stranger's plugin only their number is told.
func anonymousLosses(workload string, losses []string) []string {
	if len(losses) == 0 || strings.HasPrefix(workload, importPlugin+"/") {
		return traces.AnonymousLosses(losses)
	}
	return []string{fmt.Sprintf("losses whose texts are not told, since they may hold text of the file: %d", len(losses))}
}

// withoutTexts takes out of an error what a plugin may have quoted of its file.
func withoutTexts(err error) error {
	const instead = "what is wrong is told without --anonymize, since it may hold text of the file"
	if faults, ok := errors.AsType[*wire.FaultsError](err); ok {
		out := *faults
		out.Faults = slices.Clone(faults.Faults)
		for i := range out.Faults {
			out.Faults[i].Message, out.Faults[i].Pointer = instead, ""
			if out.Plugin != importPlugin { // whose expectations are all its own words
				out.Faults[i].Expected = ""
			}
		}
		return &out
	}
	if e, ok := errors.AsType[*host.Error](err); ok && (e.Text != "" || e.Err != nil) {
		out := *e
		out.Text, out.Err = instead, nil
		return &out
	}
	return err
}

// formatHint tells the formats that there are to who asked for another one.
func formatHint(err error, b *builder, format string) error {
	if strings.Contains(format, "/") || b.modules[importPlugin] == nil {
		return err
	}
	var names []string
	for _, c := range b.modules[importPlugin].loaded.Manifest().Components {
		names = append(names, c.Name)
	}
	return failHint(exitUsage, fmt.Errorf("--format: there is no format %q", format), "there are "+strings.Join(names, ", "))
}

// write plans and writes all trajectories. The file appears whole or not at all.
func (im *importer) write(ctx context.Context, b *builder) error {
	info := im.workload.Info()
	if info.Trajectories == 0 || info.Live {
		return fail(exitUsage, fmt.Errorf("%s makes trajectories without end or live ones, and only those of a file can be imported", b.run.Workload.Name))
	}
	o := im.options
	im.report = &importReport{
		File: im.input.Path, SHA256: im.input.SHA256.String(), Size: im.input.Size, Workload: b.run.Workload.Name, Format: o.format, Out: o.out,
		Anonymized: o.anonymize, Losses: append([]string{}, info.Losses...),
	}
	if name := im.progress.Found(); name != "" && o.format == "auto" {
		im.report.Format = name
	}
	im.report.Index = im.progress.Index()
	if o.anonymize {
		im.report.Losses = anonymousLosses(b.run.Workload.Name, im.report.Losses)
	}
	temp, err := os.CreateTemp(filepath.Dir(o.out), ".import-*")
	if err != nil {
		return fail(filesCode(err), err)
	}
	defer os.Remove(temp.Name())
	if err := im.plan(ctx, temp, info); err != nil {
		_ = temp.Close()
		return im.explain(ctx, b, err)
	}
	if err := errors.Join(temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return fail(filesCode(err), err)
	}
	if err := os.Link(temp.Name(), o.out); errors.Is(err, fs.ErrExist) { // unlike a rename it overwrites nothing
		return failHint(exitInput, fmt.Errorf("%s is there already", o.out), "nothing is overwritten; choose another name")
	} else if err != nil {
		return fail(filesCode(err), err)
	}
	return nil
}

// explain gives all faults of the file where planning failed.
func (im *importer) explain(ctx context.Context, b *builder, err error) error {
	if _, ok := errors.AsType[*coded](err); ok || ctx.Err() != nil {
		return err
	}
	if _, faults := im.workload.CheckInputs(ctx, nil); faults != nil {
		return im.refused(b, faults)
	}
	return im.refused(b, err)
}

// plan writes all trajectories, anew where making them anonymous asks for that.
func (im *importer) plan(ctx context.Context, temp *os.File, info trajectory.Info) error {
	var anonymous *traces.Anonymizer
	if im.options.anonymize {
		anonymous = traces.NewAnonymizer(im.input.SHA256)
	}
	for {
		err := im.planOnce(ctx, temp, info, anonymous)
		if err != nil || anonymous == nil || !anonymous.Spoilt() {
			return err
		}
		if err := anonymous.Restart(); err != nil {
			return fail(exitInput, err)
		}
		if _, err := temp.Seek(0, io.SeekStart); err != nil {
			return fail(filesCode(err), err)
		}
		if err := temp.Truncate(0); err != nil {
			return fail(filesCode(err), err)
		}
	}
}

func (im *importer) planOnce(ctx context.Context, temp *os.File, info trajectory.Info, anonymous *traces.Anonymizer) error {
	hash := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(temp, hash), 1<<20)
	im.report.Summary, im.report.OutSize = traces.Summary{}, 0
	var line []byte
	for i := range info.Trajectories {
		t, err := im.workload.Plan(ctx, i, 0)
		if err != nil {
			return err
		}
		complete(t, &info)
		im.report.Summary.Add(t)
		if anonymous != nil {
			if t, err = anonymous.Trajectory(t); err != nil {
				return fail(exitInput, fmt.Errorf("make trajectory %d anonymous: %w", i, err))
			}
			if anonymous.Spoilt() {
				return nil
			}
		}
		if line, err = traces.Append(line[:0], t); err != nil {
			return fail(exitInput, err)
		}
		if _, err := out.Write(line); err != nil {
			return fail(filesCode(err), err)
		}
		im.report.OutSize += int64(len(line))
		im.progress.Planned(i+1, info.Trajectories)
	}
	if err := out.Flush(); err != nil {
		return fail(filesCode(err), err)
	}
	im.report.OutSHA256 = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// complete puts the workload's defaults into a trajectory, since the normal form knows none.
func complete(t *trajectory.Trajectory, info *trajectory.Info) {
	if t.Tools == nil {
		t.Tools = info.Tools
	}
	if t.Params == nil {
		t.Params = info.Params
	}
}
