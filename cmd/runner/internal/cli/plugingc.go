package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wasmworker"
)

// collected is what a collection dropped, or with --dry-run would drop.
type collected struct {
	Dry      bool     `json:"dry_run"`
	Locks    []string `json:"locks"`   // that were heeded
	Plugins  []string `json:"plugins"` // digests of their roots
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Compiled int      `json:"compiled"` // entries of the compile cache
	Cached   int64    `json:"compiled_bytes"`
}

func (a *app) gcCommand() *cobra.Command {
	var keep []string
	var dry, asJSON bool
	c := &cobra.Command{
		Use:   "gc [FOLDER...]",
		Short: "Drop plugins that nothing refers to",
		Long: "Drops from the plugin store what no installed name, no --keep and no paceline.lock in the given folders and below refers to,\n" +
			"and compiled code of anything else than what is left and what ships. What is dropped is fetched or compiled again when needed.",
		Example: "  runner plugin gc ~/benchmarks --dry-run\n  runner plugin gc . --keep sha256:0123...",
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.collect(args, keep, dry)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.Stdout, r)
			}
			verb := "dropped"
			if dry {
				verb = "would drop"
			}
			for _, p := range r.Plugins {
				fmt.Fprintf(a.Stdout, "plugin %s\n", p)
			}
			fmt.Fprintf(a.Stdout, "%s %s, %d files of %d bytes, and compiled code of %s, %d bytes; %s heeded\n", verb, plural(len(r.Plugins), "plugin"), r.Files, r.Bytes,
				plural(r.Compiled, "module"), r.Cached, plural(len(r.Locks), "lock"))
			return nil
		},
	}
	c.Flags().StringArrayVar(&keep, "keep", nil, "keep what has this `digest`, of a plugin or of its file; may be repeated")
	c.Flags().BoolVar(&dry, "dry-run", false, "only tell what would be dropped")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func (a *app) collect(folders, keep []string, dry bool) (*collected, error) {
	r := &collected{Dry: dry, Locks: []string{}}
	wanted := map[artifact.Digest]bool{}
	for _, text := range keep {
		d, err := artifact.ParseDigest(text)
		if err != nil {
			return nil, fail(exitUsage, fmt.Errorf("--keep: %w", err))
		}
		wanted[d] = true
	}
	for _, dir := range folders {
		if err := r.heed(dir, wanted); err != nil {
			return nil, fail(exitInput, err)
		}
	}
	shelf := a.shelf()
	c, err := shelf.Collect(wanted, dry)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	r.Plugins, r.Files, r.Bytes = c.Plugins, c.Files, c.Bytes
	if err := r.compiled(a, shelf, wanted); err != nil {
		return nil, fail(exitInput, err)
	}
	return r, nil
}

// heed keeps what the locks below a folder refer to. A lock that cannot be read is an error, so that nothing of it is lost.
func (r *collected) heed(dir string, wanted map[artifact.Digest]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != lock.FileName {
			return err
		}
		l, err := lock.Read(path)
		if err != nil || l == nil {
			return err
		}
		r.Locks = append(r.Locks, path)
		for _, p := range l.Plugins {
			for _, f := range p.Files {
				wanted[artifact.Digest(f.SHA256)] = true
			}
			if ref, err := artifact.ParseRef(p.Source); err == nil && ref.Digest != nil {
				wanted[*ref.Digest] = true
			}
		}
		return nil
	})
}

// compiled drops compiled code of modules that are neither on the shelf nor shipped nor wanted.
func (r *collected) compiled(a *app, shelf *store.Shelf, wanted map[artifact.Digest]bool) error {
	dir := a.cacheDir("wasm")
	if dir == "" {
		return nil
	}
	kept, err := shelf.Modules()
	if err != nil {
		return err
	}
	files := a.finder(false).files
	for _, name := range files.Shipped() {
		m, err := files.Fetch(name)
		if err != nil {
			return err
		}
		kept[artifact.Digest(m.Digest)] = true
	}
	r.Compiled, r.Cached, err = wasmworker.CollectCache(dir, func(d digest.SHA256) bool {
		return kept[artifact.Digest(d)] || wanted[artifact.Digest(d)]
	}, r.Dry)
	return err
}
