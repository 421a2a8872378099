package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/workloads"
)

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Look at plugins and pin them", RunE: group}
	c.AddCommand(a.inspectCommand(), a.listCommand(), a.lockCommand())
	return c
}

// inspected is what can be told of a plugin without running any of its code.
type inspected struct {
	Name     string         `json:"name"`
	Source   string         `json:"source"`
	Path     string         `json:"path"`
	Size     int            `json:"size"`
	SHA256   digest.SHA256  `json:"sha256"`
	Manifest *lock.Manifest `json:"manifest"`
}

func inspect(name string) (*inspected, error) {
	s := &store.Store{Std: workloads.Modules()}
	file, err := s.Fetch(name)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	if file.Native != nil {
		return &inspected{file.Name, file.Source, file.Path, len(file.Bytes), file.Digest, file.Native.Manifest}, nil
	}
	manifest, err := host.Inspect(file.Bytes)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("plugin %s (%s): %w", file.Name, file.Path, err))
	}
	return &inspected{file.Name, file.Source, file.Path, len(file.Bytes), file.Digest, manifest}, nil
}

func (a *app) inspectCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "inspect FILE|NAME",
		Short:   "Show a plugin's components, presets and digest; none of its code runs",
		Example: "  runner plugin inspect std/mlperf\n  runner plugin inspect ./acme.wasm --json",
		Args:    exactly("FILE or NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := inspect(pluginOf(args[0]))
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, p)
			}
			return p.write(a.Stdout)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (p *inspected) write(w io.Writer) error {
	m := p.Manifest
	b := fmt.Appendf(nil, "%s %s\n", p.Name, m.Version)
	if m.Summary != "" {
		b = fmt.Appendf(b, "  %s\n", wrap(m.Summary, "  "))
	}
	b = fmt.Appendf(b, "sha256    %s\nsize      %d bytes\ncontract  v%d\nsource    %s (%s)\nlicence   %s\n",
		p.SHA256, p.Size, m.Contract, p.Source, p.Path, m.License)
	for _, e := range m.Native {
		b = fmt.Appendf(b, "native    %s/%s %s sha256 %s\n", e.OS, e.Arch, e.File, e.SHA256)
	}
	for _, c := range m.Components {
		b = fmt.Appendf(b, "%-9s %s\n          %s\n", c.Kind, p.Name+"/"+c.Name, wrap(c.Summary, "          "))
		extra := []string{"purity " + string(c.Purity)}
		if len(m.Native) > 0 {
			extra = append(extra, "capabilities "+capabilityList(c.Capabilities))
		}
		if len(c.Inputs) > 0 {
			extra = append(extra, "inputs "+strings.Join(c.Inputs, ", "))
		}
		b = fmt.Appendf(b, "          %s\n", strings.Join(extra, "; "))
		b = appendKeys(b, c.ConfigSchema)
	}
	for i := range m.Presets {
		b = p.appendPreset(b, &m.Presets[i])
	}
	_, err := w.Write(b)
	return err
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the components and presets that ship inside the runner", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			s := &store.Store{Std: workloads.Modules()}
			all := []*inspected{}
			for _, name := range s.Shipped() {
				p, err := inspect(name)
				if err != nil {
					return err
				}
				all = append(all, p)
			}
			if asJSON {
				return writeJSON(a.Stdout, all)
			}
			for _, p := range all {
				for _, c := range p.Manifest.Components {
					if _, err := fmt.Fprintf(a.Stdout, "%-28s %-10s %s\n", p.Name+"/"+c.Name, c.Kind, wrap(c.Summary, listIndent)); err != nil {
						return err
					}
				}
				for _, preset := range p.Manifest.Presets {
					if _, err := fmt.Fprintf(a.Stdout, "%-28s %-10s %s\n", p.Name+"/"+preset.Name, "preset", wrap(preset.Summary, listIndent)); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// listIndent is where the summaries of a list begin.
const listIndent = "                                        "

func (a *app) lockCommand() *cobra.Command {
	var out string
	var allowNative bool
	c := &cobra.Command{
		Use:   "lock RUNFILE|PLUGIN/PRESET",
		Short: "Pin the plugins and inputs of a run file or a preset",
		Long: "Writes paceline.lock beside the run file, for a preset here: the digest of every plugin and input, the engine, capabilities and limits.\n" +
			"A run with that file is held to it from then on. A native plugin runs outside of the sandbox, with the user's rights;\n" +
			"it runs only where the lock grants that, which --allow-native does, with the capabilities that it asks for.",
		Example: "  runner plugin lock bench.yaml\n  runner run bench.yaml --locked",
		Args:    exactly("RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				out = filepath.Join(folderOf(args[0]), lock.FileName)
			}
			return a.lockFile(c.Context(), args[0], out, allowNative)
		},
	}
	c.Flags().BoolVar(&allowNative, "allow-native", false, "let native plugins run, with the capabilities that they ask for")
	c.Flags().StringVar(&out, "out", "", "lock `FILE` (default paceline.lock beside the run file)")
	return c
}

func (a *app) lockFile(ctx context.Context, file, out string, allowNative bool) error {
	r, err := a.layered(file, nil)
	if err != nil {
		return err
	}
	if r.Run.Target.URL == "" {
		r.Run.Target.URL = "http://127.0.0.1" // a lock says nothing of the target, which may be given later
	}
	if err := r.Check(); err != nil {
		return fail(exitUsage, err)
	}
	b := &builder{app: a, run: &r.Run, quiet: true, grant: allowNative}
	b.addChecks(nil)
	defer func() { b.stage.close() }()
	names := append(workloadNames(&r.Run), judgeNames(&r.Run)...)
	if err := b.load(ctx, append(names, presetPlugins(r.Preset)...), nil); err != nil {
		return err
	}
	if err := b.samePreset(r.Preset); err != nil {
		return err
	}
	if err := b.openInputs(); err != nil {
		return err
	}
	if err := b.enforce(); err != nil {
		return err
	}
	if err := b.actual.Write(out); err != nil {
		return err
	}
	for _, p := range b.actual.Plugins {
		for _, f := range p.Files {
			fmt.Fprintf(a.Stdout, "plugin  %s %s %s sha256 %s\n", p.Name, p.Version, f.Name, f.SHA256)
		}
		if p.Native {
			fmt.Fprintf(a.Stdout, "grants  %s may run natively, outside of the sandbox; capabilities: %s\n", p.Name, capabilityList(p.Granted))
		}
	}
	for _, in := range b.actual.Inputs {
		fmt.Fprintf(a.Stdout, "input   %s of %s sha256 %s\n", in.Name, in.Component, in.SHA256)
	}
	fmt.Fprintf(a.Stdout, "wrote   %s\n", out)
	return nil
}
