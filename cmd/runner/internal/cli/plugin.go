package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/lock"
)

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "Write, build and test plugins; look at them, fetch, sign and pin them", RunE: group}
	c.AddCommand(a.inspectCommand(), a.listCommand(), a.lockCommand())
	c.AddCommand(a.updateCommand(), a.installCommand(), a.removeCommand(), a.gcCommand(), a.verifyCommand())
	c.AddCommand(a.pushCommand(), a.pullCommand(), a.keygenCommand(), a.signCommand())
	c.AddCommand(a.pluginNewCommand())
	c.AddCommand(a.pluginBuildCommand())
	c.AddCommand(a.pluginTestCommand())
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

func inspect(ctx context.Context, f *finder, name string) (*inspected, error) {
	file, err := f.named(ctx, name)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	manifest, _, err := manifestOf(file)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	return &inspected{file.Name, file.Source, file.Path, len(file.Bytes), file.Digest, manifest}, nil
}

func (a *app) inspectCommand() *cobra.Command {
	var asJSON, plainHTTP bool
	c := &cobra.Command{
		Use:     "inspect FILE|NAME|SOURCE",
		Short:   "Show a plugin's components, presets and digest; none of its code runs",
		Example: "  runner plugin inspect std/mlperf\n  runner plugin inspect ./acme.wasm --json",
		Args:    exactly("FILE or NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			name := args[0]
			if !artifact.IsRef(name) {
				name = pluginOf(name)
			}
			p, err := inspect(c.Context(), a.finder(plainHTTP), name)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, p)
			}
			return p.write(a.Stdout)
		},
	}
	c.Flags().BoolVar(&plainHTTP, "plain-http", false, "speak http to registries; without it only to those on the loopback")
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
	_, err := io.WriteString(w, visible(string(b)))
	return err
}

// visible takes out of a stranger's text what would move a terminal's cursor.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && unicode.IsControl(c) {
			return '?'
		}
		return c
	}, text)
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the components and presets that ship inside the runner and those that are installed", Args: exactly(),
		Example: "  runner plugin list\n  runner plugin list --json",
		RunE: func(c *cobra.Command, _ []string) error {
			f := a.finder(false)
			installed, err := f.shelf.Names()
			if err != nil {
				return fail(exitInput, err)
			}
			all := []*inspected{}
			for _, name := range append(f.files.Shipped(), installed...) {
				p, err := inspect(c.Context(), f, name)
				if err != nil && slices.Contains(installed, name) {
					fmt.Fprintf(a.Stderr, "warning: %v\n", err) // and the others are listed
					continue
				}
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
					if _, err := io.WriteString(a.Stdout, listed(p.Name+"/"+c.Name, string(c.Kind), c.Summary)); err != nil {
						return err
					}
				}
				for _, preset := range p.Manifest.Presets {
					if _, err := io.WriteString(a.Stdout, listed(p.Name+"/"+preset.Name, "preset", preset.Summary)); err != nil {
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

// listed is one entry of a list; the summary goes below a name that leaves no room beside it.
func listed(name, kind, summary string) string {
	summary = visible(wrap(summary, listIndent))
	if len(name) > listName {
		return fmt.Sprintf("%s %s\n%s%s\n", name, kind, listIndent, summary)
	}
	return fmt.Sprintf("%-*s %-10s %s\n", listName, name, kind, summary)
}

// listName is the width of names in a list.
const listName = 28

// listIndent is where the summaries of a list begin.
const listIndent = "                                        "

func (a *app) lockCommand() *cobra.Command {
	var l locking
	c := &cobra.Command{
		Use:   "lock RUNFILE|PLUGIN/PRESET",
		Short: "Pin the plugins and inputs of a run file or a preset",
		Long: "Writes paceline.lock beside the run file, for a preset here: the digest of every plugin and input, the engine, capabilities and limits.\n" +
			"A run with that file is held to it from then on. A tag of a registry is resolved to a digest once: a lock that is there\n" +
			"keeps its digest, and `plugin update` asks the registry again. A native plugin runs outside of the sandbox, with the\n" +
			"user's rights; it runs only where the lock grants that, which --allow-native does, with the capabilities that it asks for.",
		Example: "  runner plugin lock bench.yaml\n  runner run bench.yaml --locked",
		Args:    exactly("RUNFILE or PLUGIN/PRESET"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.lockFile(c.Context(), args[0], &l)
		},
	}
	l.register(c)
	return c
}

func (a *app) lockFile(ctx context.Context, file string, how *locking) error {
	b := &builder{app: a, quiet: true, grant: how.allowNative}
	defer func() { b.stage.close() }()
	if err := how.ready(b, file); err != nil {
		return err
	}
	r, err := a.layered(ctx, b.finder(nil), file)
	if err != nil {
		return err
	}
	if r.Run.Target.URL == "" && !r.Run.Several() {
		r.Run.Target.URL = "http://127.0.0.1" // a lock says nothing of the target, which may be given later
	}
	if err := r.Check(); err != nil {
		return fail(exitUsage, err)
	}
	b.run = &r.Run
	b.addChecks(nil)
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
	if err := b.openJudgeInputs(); err != nil {
		return err
	}
	if err := b.enforce(); err != nil {
		return err
	}
	if err := b.actual.Write(how.out); err != nil {
		return err
	}
	return how.show(a, &b.actual)
}
