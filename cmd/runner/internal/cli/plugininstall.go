package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/store"
)

// localSource is the source of names that nobody chose.
const localSource = "local"

// installedPlugin is what is told of a plugin that was installed.
type installedPlugin struct {
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Source   string          `json:"source"`
	Artifact artifact.Digest `json:"artifact"`
	SHA256   digest.SHA256   `json:"sha256"`
	Signers  []signerView    `json:"signers"`
	Before   string          `json:"before,omitempty"` // the source that had the name
}

func (a *app) installCommand() *cobra.Command {
	var flags sourceFlags
	var name string
	c := &cobra.Command{
		Use:   "install SOURCE",
		Short: "Keep a plugin on this machine under a name",
		Long: "SOURCE is a plugin's file, an OCI layout (a folder or a tar file) or oci://HOST/NAME:TAG. The plugin is kept by its digest in a\n" +
			"folder of the user's own, with its signatures, and a run file can name it as NAME/COMPONENT. None of its code runs.",
		Example: "  runner plugin install ./acme.wasm --name acme/search\n" +
			"  runner plugin install oci://127.0.0.1:5000/acme/search:1.0.0 \\\n      --policy policy.yaml",
		Args: exactly("SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := readPolicy(flags.policy)
			if err != nil {
				return err
			}
			f := a.finder(flags.plainHTTP)
			got, err := f.content(c.Context(), args[0], artifact.Only(runtime.GOOS, runtime.GOARCH))
			if err != nil {
				return err
			}
			if err := a.judgeContent(got, p); err != nil {
				return err
			}
			in, err := install(f.shelf, got, name)
			if err != nil {
				return fail(exitInput, err)
			}
			if flags.json {
				return writeJSON(a.Stdout, in)
			}
			fmt.Fprintf(a.Stdout, "installed %s %s from %s\nsha256    %s\n", in.Name, in.Version, in.Source, in.SHA256)
			if in.Before != "" {
				fmt.Fprintf(a.Stdout, "before    %s\n", in.Before)
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "name", "", "`SOURCE/PLUGIN`, as run files will call it (default local/ and the plugin's own name)")
	flags.register(c)
	return c
}

// install puts a plugin on the shelf under a name.
func install(shelf *store.Shelf, c *content, name string) (*installedPlugin, error) {
	if name == "" {
		name = localSource + "/" + c.manifest.Name
	}
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	m, err := c.module(name)
	if err != nil {
		return nil, err
	}
	in := &installedPlugin{Name: name, Version: c.manifest.Version, Source: c.source, Artifact: c.Root.Digest, SHA256: m.Digest, Signers: viewsOf(c.found)}
	if old, err := shelf.Named(name); err == nil && old.Root != c.Root.Digest {
		in.Before = old.Source + ", " + old.Root.String()
	}
	if err := shelf.Put(c.Artifact); err != nil {
		return nil, err
	}
	return in, shelf.Install(name, c.source, c.Root.Digest)
}

func (a *app) removeCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "remove NAME",
		Short: "Take the name of an installed plugin away",
		Long: "The plugin itself stays until `runner plugin gc` finds that neither a lock nor another name refers to it, so runs that are\n" +
			"pinned to it go on.",
		Example: "  runner plugin remove acme/search",
		Args:    exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.shelf().Remove(args[0]); err != nil {
				if errors.Is(err, artifact.ErrNotFound) {
					return failHint(exitInput, err, "`runner plugin list` shows what is installed")
				}
				return fail(exitInput, err)
			}
			if asJSON {
				return writeJSON(a.Stdout, map[string]string{"removed": args[0]})
			}
			fmt.Fprintf(a.Stdout, "removed %s\n", args[0])
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}
